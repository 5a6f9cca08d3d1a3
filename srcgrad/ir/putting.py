"""Puts expressions in the place of names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gast

from srcgrad.ir.build import clone


def put(tree: Any, values: Mapping[str, Any]) -> Any:
    """Return a tree, changed in place, in which copies of expressions stand where names were read.

    >>> from srcgrad.compiler.doctesting import parse, text
    >>> one, other = parse("a = b + b; b = 2 * c")
    >>> print(text([put(one, {"b": other.value})]))
    a = 2 * c + 2 * c
    """
    return _Putting(values).visit(tree)


class _Putting(gast.NodeTransformer):  # type: ignore[misc]
    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = values

    def visit_Name(self, node: Any) -> Any:
        """Replace one name."""
        value = self._values.get(node.id) if isinstance(node.ctx, gast.Load) else None
        return node if value is None else clone(value)
