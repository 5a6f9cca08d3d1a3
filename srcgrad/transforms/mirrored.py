"""Reads and rewrites the small parts of statements that tangents mirror."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.build import clone
from srcgrad.ir.walk import names_read


def reads(block: list[Any]) -> set[str]:
    """Return the names that the statements of a block read."""
    return {name for statement in block for name in names_read(statement)}


def entries(node: Any) -> Sequence[Any]:
    """Return the entries of a display, starred ones without their star."""
    found: Sequence[Any] = node.values if isinstance(node, gast.Dict) else node.elts
    return [item.value if isinstance(item, gast.Starred) else item for item in found]


def result(values: list[Any], *, is_tuple: bool) -> Any:
    """Return what is returned: one value, or a tuple."""
    return gast.Tuple(values, gast.Load()) if is_tuple or len(values) != 1 else values[0]


def renamed_root(node: Any, name: str) -> Any:
    """Return ``x[i].T`` with another name for x; the indices stay."""
    if isinstance(node, gast.Name):
        return gast.Name(name, node.ctx, None, None)
    fields = [clone(getattr(node, field, None)) for field in node._fields]
    made = type(node)(*fields)
    made.value = renamed_root(node.value, name)
    return made
