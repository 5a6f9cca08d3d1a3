"""Says what sums of all entries, and products of vectors, add up."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from srcgrad.ir import gast
from srcgrad.targets.loops.kind import Array, Kind
from srcgrad.targets.loops.words import FLOATS


def summed_by(node: Any, kind_of: Callable[[Any], Kind]) -> Any:
    """Return what a sum of all entries, or a product of vectors, adds up; None for what is neither.

    Those are ``np.sum(...)``, ``(...).sum()``, ``... @ ...`` and ``np.dot(..., ...)``.
    """
    factors = _factors(node)
    if factors and all(_is_vector(kind_of(item)) for item in factors):
        return gast.BinOp(factors[0], gast.Mult(), factors[1])
    if not isinstance(node, gast.Call) or node.keywords:
        return None
    function = node.func
    if not isinstance(function, gast.Attribute) or function.attr != "sum":
        return None
    if getattr(function.value, "id", "") == "np":
        return node.args[0] if len(node.args) == 1 else None
    return None if node.args else function.value


def _factors(node: Any) -> list[Any]:
    """Return the operands of a product of matrices or vectors; none for other expressions."""
    if isinstance(node, gast.BinOp) and isinstance(node.op, gast.MatMult):
        return [node.left, node.right]
    is_dot = isinstance(node, gast.Call) and getattr(node.func, "attr", "") == "dot"
    if is_dot and getattr(node.func.value, "id", "") == "np" and not node.keywords:
        return list(node.args) if len(node.args) == 2 else []
    return []


def _is_vector(kind: Kind) -> bool:
    return isinstance(kind, Array) and kind.ndim == 1 and not kind.ones and kind.dtype in FLOATS
