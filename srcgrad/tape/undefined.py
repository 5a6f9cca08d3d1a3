"""Lets a test send an undefined gradient into a graph."""

from __future__ import annotations

from typing import Any

from srcgrad.tape.core import Core, edge_of, make
from srcgrad.tape.node import Node


class UndefinedGrad(Node):
    """A node whose backward gives no gradient."""

    __slots__ = ()
    _takes_none = True

    def pull(self, grad: Any) -> tuple[Any, ...]:
        """Give nothing."""
        return (None,)

    def pull_recorded(self, grad: Any) -> tuple[Any, ...]:
        """Give nothing."""
        return (None,)


def undefined_grad(tensor: Core) -> Any:
    """Return `tensor` with a node above it that drops its gradient."""
    node = UndefinedGrad()
    node._edges = (edge_of(tensor),)
    node.needs_input_grad = (True,)
    return make(tensor._array.view(), (node, 0))
