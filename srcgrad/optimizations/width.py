"""Estimates how wide an expression prints, without printing it."""

from __future__ import annotations

from typing import Any, Final

import gast

WIDEST: Final = 84
"""How wide a value may get by what is put into it; its target and indentation come on top."""


def width(node: Any) -> int:
    """Return about how many columns an expression takes.

    >>> width(gast.parse("np.exp(a) * (b + 1)").body[0].value)
    19
    """
    if isinstance(node, gast.Name):
        return len(node.id)
    if isinstance(node, gast.Constant):
        return len(repr(node.value))
    if isinstance(node, gast.Attribute):
        return width(node.value) + 1 + len(node.attr)
    if isinstance(node, gast.BinOp):
        inner = sum(2 for side in (node.left, node.right) if isinstance(side, gast.BinOp))
        return width(node.left) + width(node.right) + 3 + inner
    if isinstance(node, gast.AST):
        children = [width(child) for child in gast.iter_child_nodes(node)]
        return sum(children) + 2 * max(1, len(children) - 1)
    return 0
