"""Says which expressions are numbers that are written down, and does their arithmetic."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, Final

from srcgrad.ir import gast
from srcgrad.ir.build import constant

_SHORT: Final = 6


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


def arithmetic(node: Any, left: int, right: int) -> Any:
    """Return a sum, a difference or a product of whole numbers as the number that it is."""
    if isinstance(node.op, gast.Add):
        return constant(left + right)
    if isinstance(node.op, gast.Sub):
        return constant(left - right)
    return constant(left * right) if isinstance(node.op, gast.Mult) else node


def exact(node: Any, left: float, right: float) -> Any:
    """Return ``1.5 - 1`` as the literal that it is, if it is that exactly and short to write.

    >>> texts = ["1.5 - 1", "0.7 - 1", "2.5 + 1.5", "1.5 * 2"]
    >>> [gast.unparse(exact(node, node.left.value, node.right.value))
    ...  for node in (gast.parse(text, mode="eval").body for text in texts)]
    ['0.5', '0.7 - 1', '4.0', '1.5 * 2']
    """
    if not isinstance(node.op, (gast.Add, gast.Sub)) or not all(map(math.isfinite, (left, right))):
        return node
    second = right if isinstance(node.op, gast.Add) else -right
    total = left + second
    is_exact = math.isfinite(total) and Fraction(left) + Fraction(second) == Fraction(total)
    return constant(total) if is_exact and len(repr(abs(total))) <= _SHORT else node


def exact_product(first: Any, second: Any) -> Any:
    """Return the product of two literals as a float, if it is exact and short to write, or None.

    >>> texts = ["2 * 0.5", "-2 * 1.5", "3 * 0.1", "0 * 0.5"]
    >>> pairs = [gast.parse(text, mode="eval").body for text in texts]
    >>> found = [exact_product(pair.left, pair.right) for pair in pairs]
    >>> [item and gast.unparse(item).strip() for item in found]
    ['1.0', '-3.0', None, None]
    """
    numbers = [number_of(first), number_of(second)]
    values = [float(item) for item in numbers if item is not None]
    total = math.prod(values)
    if len(values) != len(numbers) or not total or not math.isfinite(total):
        return None
    if math.prod(map(Fraction, values)) != Fraction(total) or len(repr(abs(total))) > _SHORT:
        return None
    literal = constant(abs(total))
    return literal if total > 0 else gast.UnaryOp(gast.USub(), literal)
