"""Reads the constants in slices."""

from __future__ import annotations

from typing import Any

from srcgrad.ir import gast


def bounds_of(part: Any) -> tuple[int | None, int | None, int | None] | None:
    """Return the bounds of a slice if they are constants."""
    found: list[int | None] = []
    for node in (part.lower, part.upper, part.step):
        negative = isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.USub)
        value = getattr(node.operand if negative else node, "value", None)
        if node is not None and type(value) is not int:
            return None
        found.append(-value if negative and value is not None else value)
    return found[0], found[1], found[2]


def is_full_slice(node: Any) -> bool:
    """Say whether a part of an index is ``:``."""
    return isinstance(node, gast.Slice) and node.lower is node.upper is node.step is None
