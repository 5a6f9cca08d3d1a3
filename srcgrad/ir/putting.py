"""Puts expressions in the place of names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.build import clone
from srcgrad.ir.walk import INNER


class _Fields(dict[type, tuple[str, ...]]):
    """The fields of each kind of node in which there may be more than signs."""

    def __missing__(self, kind: type) -> tuple[str, ...]:
        self[kind] = tuple(name for name in INNER[kind] if name not in ("op", "ops"))
        return self[kind]


_FIELDS = _Fields()


def put(tree: Any, values: Mapping[str, Any]) -> Any:  # noqa: C901, PLR0912 - as in `walk`
    """Return a tree, changed in place, in which copies of expressions stand where names were read.

    >>> from srcgrad.compiler.doctesting import parse, text
    >>> one, other = parse("a = b + b; b = 2 * c")
    >>> print(text([put(one, {"b": other.value})]))
    a = 2 * c + 2 * c
    """
    if tree.__class__ is gast.Name:
        return _put_for(tree, values)
    waiting = [tree]
    for node in waiting:
        if node.__class__ is gast.BinOp:  # as most are
            left, right = node.left, node.right
            if left.__class__ is gast.Name:
                node.left = _put_for(left, values)
            elif left.__class__ is not gast.Constant:
                waiting.append(left)
            if right.__class__ is gast.Name:
                node.right = _put_for(right, values)
            elif right.__class__ is not gast.Constant:
                waiting.append(right)
            continue
        for field in _FIELDS[node.__class__]:
            part = getattr(node, field, None)
            if part.__class__ is list:
                for place, item in enumerate(part):
                    if item.__class__ is gast.Name:
                        part[place] = _put_for(item, values)
                    elif item.__class__ is not gast.Constant and isinstance(item, gast.AST):
                        waiting.append(item)
            elif part.__class__ is gast.Name:
                setattr(node, field, _put_for(part, values))
            elif part.__class__ is not gast.Constant and isinstance(part, gast.AST):
                waiting.append(part)
    return tree


def _put_for(node: Any, values: Mapping[str, Any]) -> Any:
    """Return what stands in the place of one name."""
    value = values.get(node.id)
    return node if value is None or not isinstance(node.ctx, gast.Load) else clone(value)
