"""Says which expressions are numbers that are written down."""

from __future__ import annotations

from typing import Any

import gast


def number_of(node: Any) -> int | float | None:
    """Return the number that an expression is written as, or None."""
    kind = node.__class__
    if kind is gast.Constant:
        value = node.value
        return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None
    if kind is gast.Name or kind is gast.BinOp:  # most are
        return None
    if isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.USub):
        inner = number_of(node.operand)
        return None if inner is None else -inner
    return 1 if _is_log_of_e(node) else None


def _is_log_of_e(node: Any) -> bool:
    """Say whether an expression is ``math.log(math.e)``, as the rule of `math.log` has it."""
    func = getattr(node, "func", None)
    if not isinstance(func, gast.Attribute) or func.attr != "log" or len(node.args) != 1:
        return False
    return getattr(node.args[0], "attr", "") == "e"
