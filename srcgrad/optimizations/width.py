"""Estimates how wide an expression prints, without printing it."""

from __future__ import annotations

from typing import Any, Final

from srcgrad.ir import gast

WIDEST: Final = 84
"""How wide a value may get by what is put into it; its target and indentation come on top."""


def width(node: Any) -> int:
    """Return about how many columns an expression takes.

    >>> width(gast.parse("np.exp(a) * (b + 1)").body[0].value)
    19
    """
    kind = node.__class__
    if kind is gast.Name:
        return len(node.id)
    if kind is gast.Constant:
        return len(repr(node.value))
    if kind is gast.Attribute:
        return width(node.value) + 1 + len(node.attr)
    if kind is gast.BinOp:
        left, right = node.left, node.right
        inner = (left.__class__ is gast.BinOp) + (right.__class__ is gast.BinOp)
        return width(left) + width(right) + 3 + 2 * inner
    if not isinstance(node, gast.AST):
        return 0
    found, count = 0, 0
    for name in node._fields:
        part = getattr(node, name, None)
        for child in part if part.__class__ is list else (part,):
            if isinstance(child, gast.AST):
                found += width(child)
                count += 1
    return found + 2 * max(1, count - 1)
