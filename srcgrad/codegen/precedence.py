"""Says how strongly each expression binds, so that only needed parentheses are printed."""

from __future__ import annotations

import math
from typing import Any, Final

NAMED: Final = 0
YIELD: Final = 1
TUPLE: Final = 2
TEST: Final = 3
OR: Final = 4
AND: Final = 5
NOT: Final = 6
COMPARE: Final = 7
BIT_OR: Final = 8
BIT_XOR: Final = 9
BIT_AND: Final = 10
SHIFT: Final = 11
SUM: Final = 12
PRODUCT: Final = 13
FACTOR: Final = 14
POWER: Final = 15
AWAIT: Final = 16
ATOM: Final = 17

OPERATORS: Final[dict[str, tuple[str, int]]] = {
    "Or": ("or", OR),
    "And": ("and", AND),
    "Not": ("not ", NOT),
    "BitOr": ("|", BIT_OR),
    "BitXor": ("^", BIT_XOR),
    "BitAnd": ("&", BIT_AND),
    "LShift": ("<<", SHIFT),
    "RShift": (">>", SHIFT),
    "Add": ("+", SUM),
    "Sub": ("-", SUM),
    "Mult": ("*", PRODUCT),
    "MatMult": ("@", PRODUCT),
    "Div": ("/", PRODUCT),
    "FloorDiv": ("//", PRODUCT),
    "Mod": ("%", PRODUCT),
    "UAdd": ("+", FACTOR),
    "USub": ("-", FACTOR),
    "Invert": ("~", FACTOR),
    "Pow": ("**", POWER),
}

COMPARISONS: Final[dict[str, str]] = {
    "Eq": "==",
    "NotEq": "!=",
    "Lt": "<",
    "LtE": "<=",
    "Gt": ">",
    "GtE": ">=",
    "Is": "is",
    "IsNot": "is not",
    "In": "in",
    "NotIn": "not in",
}

_LEVELS: Final[dict[str, int]] = {
    "NamedExpr": NAMED,
    "Yield": YIELD,
    "YieldFrom": YIELD,
    "Lambda": TEST,
    "IfExp": TEST,
    "Compare": COMPARE,
    "Await": AWAIT,
    "Slice": NAMED,
}


def strength(node: Any) -> int:
    """Return how strongly the outermost operation of `node` binds; a name binds most (`ATOM`)."""
    kind = type(node).__name__
    if kind in ("BinOp", "BoolOp", "UnaryOp"):
        return OPERATORS[type(node.op).__name__][1]
    if kind == "Tuple":  # one element or none: always in parentheses, and so as strong as a name
        return TUPLE if len(node.elts) > 1 else ATOM
    if kind == "Constant":
        return _constant_strength(node.value)
    return _LEVELS.get(kind, ATOM)


def operand_needs(operator: str) -> tuple[int, int]:
    """Return what a binary operator asks of its left and its right operand.

    >>> operand_needs("Sub") == (SUM, SUM + 1), operand_needs("Pow") == (AWAIT, FACTOR)
    (True, True)
    """
    level = OPERATORS[operator][1]
    return (AWAIT, FACTOR) if operator == "Pow" else (level, level + 1)


def _constant_strength(value: Any) -> int:
    if hasattr(value, "item"):  # a NumPy scalar
        value = value.item()
    if isinstance(value, complex):
        is_imaginary = value.real == 0 and not (_has_sign(value.real) or _has_sign(value.imag))
        return ATOM if is_imaginary else SUM
    return FACTOR if isinstance(value, int | float) and _has_sign(value) else ATOM


def _has_sign(value: float) -> bool:
    """Tell whether a minus is printed, as it is for -0.0 too."""
    if isinstance(value, int):
        return value < 0
    return not math.isnan(value) and math.copysign(1, value) < 0
