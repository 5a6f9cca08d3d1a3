"""Says where the tangents of steep steps are zero since a constant was selected, for forward mode.

``np.sqrt(np.maximum(x, 0))`` has the tangent 0 where the 0 was taken, although the slope there is
infinite. So from a selection on, the tangents of steep steps are masked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from srcgrad.analyses.making import Making
from srcgrad.analyses.selectors import STEEP_ITSELF, Mask, as_where, is_negative
from srcgrad.ir import gast
from srcgrad.ir.build import call, load
from srcgrad.ir.operations import Operation
from srcgrad.ir.program import Program, direct_names
from srcgrad.ir.walk import names_read

_Chosen = tuple[Mask, frozenset[float]]
"""Where a value is not one of some numbers, and the sizes of these."""


class Unmoved:
    """Follows a program step by step; `varies(name)` says whether a value has a tangent."""

    def __init__(
        self, program: Program, varies: Callable[[str], bool], is_stable: Callable[[str], bool]
    ) -> None:
        self._made = Making(program)
        self._primitive = program.reader.vocabulary.primitive
        self._varies = varies
        self._is_stable = is_stable
        self._masks: dict[str, _Chosen] = {}

    def of_step(self, operation: Operation, target: str) -> Mask | None:
        """Return where the tangent of a step counts, if that must be said; the next step is next.

        What is selected elsewhere is a constant.
        """
        if operation.kind != "primitive" or operation.keywords or not operation.args:
            return None
        moving = [n for arg in operation.args for n in direct_names(arg) if self._varies(n)]
        if operation.primal is np.multiply:
            weight = self._weight(operation.args)
            if weight is not None:
                return weight
        if len(moving) != 1 or not self._made.is_bound_once(target):
            return None
        begun = self._begun(operation, moving[0])
        known = self._masks.get(moving[0])
        if begun is not None and self._stays(begun[0]):
            self._masks[target] = begun
        elif known is not None and (edge := self._primitive(operation.primal).edge) is not None:
            at_edge = edge in known[1] and self._is_steep(operation)
            self._masks[target] = known
            return known[0] if at_edge else None
        elif known is not None and self._primitive(operation.primal).at_zero and known[1] == {0}:
            self._masks[target] = known
        return None

    def _is_steep(self, operation: Operation) -> bool:
        first, *rest = operation.args
        if operation.primal is np.divide:
            return self._moves(rest[0])
        if operation.primal is np.power:
            exponent = getattr(rest[0], "value", None)
            whole = isinstance(exponent, (int, float)) and exponent >= 1
            return self._moves(first) and not whole
        return True

    def _moves(self, node: Any) -> bool:
        return any(map(self._varies, direct_names(node)))

    def _begun(self, operation: Operation, moving: str) -> _Chosen | None:
        """Return the mask of a selection between a value and numbers, and their sizes."""
        operation = as_where(operation)
        primal, args = operation.primal, operation.args
        if primal is np.where and len(args) == 3:
            first, second = args[1:]
            numbers = [second if getattr(first, "id", "") == moving else first]
            mask = Mask(args[0], holds=getattr(first, "id", "") == moving)
        elif primal in (np.maximum, np.minimum, np.fmax, np.fmin) and len(args) == 2:
            other = args[1] if getattr(args[0], "id", "") == moving else args[0]
            numbers = [other]
            mask = _reached(primal, load(moving), other)
        elif primal is np.clip and len(args) == 3:
            numbers = list(args[1:])
            mask = Mask(call("within", *args))
        else:
            return None
        sizes = frozenset(size for size in map(_size, numbers) if size is not None)
        return (mask, sizes) if sizes else None

    def _weight(self, factors: Sequence[Any]) -> Mask | None:
        """Return where a factor is not zero that the other, a steep one, is multiplied by."""
        for factor, other in (factors, factors[::-1]):
            mask = self._made.zeros.get(getattr(factor, "id", ""))
            steep = self._made.level(getattr(other, "id", "")) >= STEEP_ITSELF
            if mask is not None and steep and self._moves(other) and self._stays(mask):
                return mask
        return None

    def _stays(self, mask: Mask) -> bool:
        names = names_read(mask.condition)
        return all(self._is_stable(name) for name in names) and all(
            len(self._made.homes.get(name, ())) <= 1 for name in names
        )


def _reached(primal: Any, value: Any, bound: Any) -> Mask:
    """Return where a value was taken rather than a bound; NaN is what `maximum` takes."""
    if primal in (np.fmax, np.fmin):
        sign = gast.GtE() if primal is np.fmax else gast.LtE()
        return Mask(gast.Compare(value, [sign], [bound]))
    beyond = gast.Lt() if primal is np.maximum else gast.Gt()
    return Mask(gast.Compare(value, [beyond], [bound]), holds=False)


def _size(node: Any) -> float | None:
    """Return the absolute value of the number that an expression is; None if it is none."""
    value = getattr(node.operand if is_negative(node) else node, "value", None)
    return abs(value) if isinstance(value, (int, float)) else None
