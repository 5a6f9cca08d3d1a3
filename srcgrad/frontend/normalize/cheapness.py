"""Says which expressions may stay where they are, since they cost nothing to evaluate again."""

from __future__ import annotations

from typing import Any

from srcgrad.ir import gast
from srcgrad.ir.operations import Reader
from srcgrad.ir.scopes import MISSING


def is_cheap(reader: Reader, node: Any, *, inside_index: bool = False) -> bool:
    """Say whether an expression costs nothing to evaluate again."""
    if node is None or isinstance(node, (gast.Constant, gast.Name)):
        return True
    if isinstance(node, (gast.Tuple, gast.List)):
        return all(is_cheap(reader, item, inside_index=inside_index) for item in node.elts)
    if isinstance(node, gast.UnaryOp):
        return isinstance(node.operand, gast.Constant) or (
            inside_index and is_cheap(reader, node.operand, inside_index=True)
        )
    if isinstance(node, gast.Slice):
        return all(
            is_cheap(reader, part, inside_index=True)
            for part in (node.lower, node.upper, node.step)
        )
    if isinstance(node, gast.BinOp) and inside_index:
        return is_cheap(reader, node.left, inside_index=True) and is_cheap(
            reader, node.right, inside_index=True
        )
    return _is_size(reader, node) or reader.scope.resolve(node) is not MISSING


def _is_size(reader: Reader, node: Any) -> bool:
    """Say whether an expression is `x.shape`, `x.shape[0]`, `x.ndim` or `len(x)`."""
    if isinstance(node, gast.Subscript):
        return isinstance(node.slice, gast.Constant) and _is_size(reader, node.value)
    if isinstance(node, gast.Attribute):
        return reader.constant_attribute(node) and isinstance(node.value, gast.Name)
    return (
        isinstance(node, gast.Call)
        and reader.scope.resolve(node.func) is len
        and isinstance(node.args[0], gast.Name)
    )
