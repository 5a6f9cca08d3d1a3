"""Writes out, without a context, the rules that run most often: what they save and return."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from srcgrad.runtime import unbroadcast
from srcgrad.tape.node import FREED
from srcgrad.tape.rulenode import BinaryNode, RuleNode

Needs = tuple[bool, bool]
Saved = tuple[Any, ...]


class Partials(NamedTuple):
    """A rule of two arrays of real numbers that are broadcast against each other.

    `keep(needs, x, y, z)` returns what the rule saves, or is None if it saves nothing. `left` and
    `right` return the gradients of x and y in the shape of z, given that of z and what was saved.
    The rule itself stays in use for complex numbers and under ``create_graph``.
    """

    keep: Callable[[Needs, Any, Any, Any], Saved] | None
    left: Callable[[Any, Saved], Any]
    right: Callable[[Any, Saved], Any]


PARTIALS: Mapping[Any, Partials] = MappingProxyType(
    {
        np.add: Partials(
            keep=None,
            left=lambda grad, _: grad,
            right=lambda grad, _: grad,
        ),
        np.subtract: Partials(
            keep=None,
            left=lambda grad, _: grad,
            right=lambda grad, _: -grad,
        ),
        np.multiply: Partials(
            keep=lambda needs, x, y, _: (x if needs[1] else None, y if needs[0] else None),
            left=lambda grad, saved: grad * saved[1],
            right=lambda grad, saved: grad * saved[0],
        ),
        np.divide: Partials(
            keep=lambda needs, _, y, z: (y, z if needs[1] else None),
            left=lambda grad, saved: grad / saved[0],
            right=lambda grad, saved: -(grad / saved[0]) * saved[1],
        ),
    }
)


class PartialsNode(BinaryNode):
    """A call of a rule that is written out here, with a result of real numbers."""

    __slots__ = ()

    left: Any  # the functions of `Partials`
    right: Any

    def pull(self, grad: Any) -> tuple[Any, ...]:
        """Return the gradients of those operands that need one."""
        saved = self.saved_tensors
        if saved:
            a, a_then, b, b_then, z, z_then = self._versions
            if (
                a[0] != a_then
                or b[0] != b_then
                or z[0] != z_then
                or saved is FREED
                or self._packed is not None
            ):
                return RuleNode.pull(self, grad)
        needs_x, needs_y = self.needs_input_grad
        grad_x = grad_y = None
        if needs_x:
            grad_x = self.left(grad, saved)
            if type(grad_x) is not np.ndarray or grad_x.shape != self.x_shape:
                grad_x = unbroadcast(grad_x, self.x_shape)
        if needs_y:
            grad_y = self.right(grad, saved)
            if type(grad_y) is not np.ndarray or grad_y.shape != self.y_shape:
                grad_y = unbroadcast(grad_y, self.y_shape)
        return grad_x, grad_y
