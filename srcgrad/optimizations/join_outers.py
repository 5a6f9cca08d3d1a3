"""Writes a sum of products of pairs of vectors as one product of two matrices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.build import call
from srcgrad.ir.rewriting import Rewriter
from srcgrad.ir.walk import found_in, statements


def join_outers(
    body: list[Any], is_ours: Callable[[Any], bool], is_vector: Callable[[str], bool]
) -> list[Any]:
    """Return `body` with ``np.outer(a, b) + np.outer(c, d)`` computed at once where it is ours.

    The whole matrix is written once, and by the library of linear algebra. `is_ours` says which
    statements compute adjoints, and `is_vector` which names are surely bound to arrays of one axis.

    >>> from srcgrad.compiler.doctesting import parse, text
    >>> body = parse('''
    ... grad_w = np.outer(a, b) + np.outer(c, d)
    ... grad_u = h - np.outer(a, b) - np.outer(c, d) + k
    ... grad_v = np.outer(a, b) * np.outer(c, d) + np.outer(a, m)
    ... ''')
    >>> print(text(join_outers(body, lambda item: True, lambda name: name in "abcd")))
    grad_w = np.array([a, c]).T @ np.array([b, d])
    grad_u = h - np.array([a, c]).T @ np.array([b, d]) + k
    grad_v = np.outer(a, b) * np.outer(c, d) + np.outer(a, m)
    """
    for statement in statements(body):
        value = getattr(statement, "value", None)
        calls = [] if value is None else found_in(value, gast.Call)
        if len(calls) > 1 and is_ours(statement):
            statement.value = _Joining(is_vector).visit(value)
    return body


class _Joining(Rewriter):
    def __init__(self, is_vector: Callable[[str], bool]) -> None:
        self._is_vector = is_vector

    def visit_BinOp(self, node: Any) -> Any:
        """Join the products among the terms of a sum."""
        self.generic_visit(node)
        right = self._pair(node.right)
        if not isinstance(node.op, (gast.Add, gast.Sub)) or right is None:
            return node
        minus = isinstance(node.op, gast.Sub)
        left = self._pair(node.left)
        if left is not None and not minus:
            return _product([left, right])
        before = node.left
        if not isinstance(before, gast.BinOp) or not isinstance(before.op, type(node.op)):
            return node
        last = self._pair(before.right)
        if last is None:
            return node
        before.right = _product([last, right])
        return before

    def _pair(self, node: Any) -> list[Any] | None:
        """Return the two vectors of which a call makes all products, or None."""
        of_numpy = isinstance(node, gast.Call) and isinstance(node.func, gast.Attribute)
        if not of_numpy or getattr(node.func.value, "id", "") != "np" or node.keywords:
            return None
        names = [getattr(item, "id", "") for item in node.args]
        is_outer = node.func.attr == "outer" and len(names) == len(("a", "b"))
        return list(node.args) if is_outer and all(map(self._is_vector, names)) else None


def _product(pairs: list[list[Any]]) -> Any:
    """Return the sum of the outer products of some pairs."""
    rows, columns = (
        call("np.array", gast.List([pair[i] for pair in pairs], gast.Load())) for i in range(2)
    )
    return gast.BinOp(gast.Attribute(rows, "T", gast.Load()), gast.MatMult(), columns)
