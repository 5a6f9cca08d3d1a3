"""Reads the indices of objects that say themselves what an index means."""

from __future__ import annotations

from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.build import load


def spelled(index: Any) -> Any:
    """Return an index as an expression: ``a:b`` is written ``slice(a, b)``.

    >>> gast.unparse(spelled(gast.parse("A[1:, k]").body[0].value.slice))
    '(slice(1, None), k)'
    """
    if isinstance(index, gast.Tuple):
        return gast.Tuple([spelled(part) for part in index.elts], gast.Load())
    if not isinstance(index, gast.Slice):
        return index
    ends = [index.lower, index.upper, index.step]
    while ends[2:] and ends[-1] is None:
        ends.pop()
    parts = [gast.Constant(None, None) if part is None else part for part in ends]
    return gast.Call(load("slice"), parts, [])


def element_parts(index: Any) -> list[Any] | None:
    """Return the two parts of an index that names elements: none of them is a slice."""
    parts = getattr(index, "elts", None) or getattr(index, "values", None) or []
    return list(parts) if len(parts) == 2 and not any(map(_is_slice, parts)) else None


def _is_slice(part: Any) -> bool:
    made = isinstance(part, gast.Call) and getattr(part.func, "id", "") == "slice"
    nothing = isinstance(part, gast.Constant) and part.value in (None, ...)
    return made or nothing or isinstance(part, (gast.Slice, gast.List, gast.Starred))
