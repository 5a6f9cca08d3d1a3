"""Says what to do about a NaN or an infinity, from the operation that made it and its operands."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any, Final

from srcgrad.insight.culprit import Culprit
from srcgrad.insight.finite import Flaw, number_at

_LOGARITHMS: Final = {"log", "log2", "log10", "log1p"}
_GROWING: Final = {"exp", "exp2", "expm1", "cosh", "sinh"}
_BOUNDED: Final = {"arccos", "arcsin", "arctanh", "acos", "asin", "atanh"}
_MEANS: Final = {"mean", "average", "std", "var", "median"}
_GUARD: Final = "replace it there before the operation, as in `np.where(ok, {0}, 1.0)`"


def advice_on(culprit: Culprit, flaw: Flaw, user_text: str = "") -> str:
    """Return what to do, in one or two sentences.

    >>> from srcgrad.insight.culprit import culprit_of
    >>> part = culprit_of(ast.parse("1.0 / x", mode="eval").body, {"x": 0.0}, {})
    >>> advice_on(part, Flaw("infinite", (), (), 1, 1))[:26]
    '`x` is 0 where it divides:'
    """
    part, numbers = culprit.part, _numbers(culprit.operands, flaw)
    if isinstance(part, ast.BinOp):
        found = _of_operator(part, numbers, user_text)
    elif isinstance(part, ast.Call):
        found = _of_call(part, numbers)
    else:
        found = ""
    return found or "look at the operands above; `g.trace(*args)` lists every value of a call"


def _numbers(operands: Mapping[str, Any], flaw: Flaw) -> list[tuple[str, Any]]:
    """Return each operand with its number at the place of the flaw, if it has one there."""
    return [(text, number_at(value, flaw)) for text, value in operands.items()]


def _of_operator(part: ast.BinOp, numbers: list[tuple[str, Any]], user_text: str) -> str:
    if isinstance(part.op, ast.Div):
        return _of_division(numbers, user_text)
    if isinstance(part.op, ast.Pow):
        return _of_power(numbers)
    values = [number for _, number in numbers if number is not None]
    if isinstance(part.op, ast.Mult) and 0 in values:
        return "0 times infinity: look for where the infinite factor comes from, and keep it finite"
    if isinstance(part.op, (ast.Add, ast.Sub)) and any(abs(v) == float("inf") for v in values):
        return "infinities of opposite sign cancel: keep both operands finite"
    return "the numbers are too large for their type: scale them down, or work with logarithms"


def _of_division(numbers: list[tuple[str, Any]], user_text: str) -> str:
    divisor, value = numbers[-1] if numbers else ("the divisor", None)
    if value is not None and value != 0:
        return "the quotient is too large for its type: scale the operands"
    if "sqrt" in user_text or "norm" in user_text or "** 0.5" in user_text:
        return (
            f"`{divisor}` is 0 where it divides: the slope of a root is infinite at 0. Add a small "
            "number under the root, or treat 0 apart"
        )
    return f"`{divisor}` is 0 where it divides: {_GUARD.format(divisor)}"


def _of_power(numbers: list[tuple[str, Any]]) -> str:
    base, value = numbers[0] if numbers else ("the base", None)
    if value is not None and value < 0:
        return f"`{base}` is negative, and its power is not an integer: use np.abs, or keep it >= 0"
    if value == 0:
        return f"`{base}` is 0, and the exponent negative: {_GUARD.format(base)}"
    return "the power is too large for its type: scale the base down, or work with logarithms"


def _of_call(part: ast.Call, numbers: list[tuple[str, Any]]) -> str:
    name = getattr(part.func, "attr", None) or getattr(part.func, "id", "")
    operand, value = numbers[0] if numbers else ("the operand", None)
    if name in _LOGARITHMS:
        return f"`{operand}` is not above {-1 if name == 'log1p' else 0}: {_GUARD.format(operand)}"
    if name in _GROWING:
        return (
            f"`{operand}` is too large for `{name}`: subtract the largest first, as "
            "scipy.special.logsumexp and softmax do, or use np.logaddexp, np.log1p, np.tanh"
        )
    if name == "sqrt":
        return f"`{operand}` is negative: {_GUARD.format(operand)}"
    if name in _BOUNDED:
        return f"`{operand}` lies outside of [-1, 1]: np.clip({operand}, -1.0, 1.0), a bit within"
    if name in _MEANS:
        return f"a {name} of no entries, or of infinities: check that `{operand}` has entries"
    if name in ("power", "float_power"):
        return _of_power(numbers)
    if name in ("divide", "true_divide"):
        return _of_division(numbers, "")
    return "" if value is None or name == "" else f"`{name}` is not finite at {operand} = {value}"
