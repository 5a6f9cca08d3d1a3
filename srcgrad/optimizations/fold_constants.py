"""Does the arithmetic of literals, and leaves out products with one."""

from __future__ import annotations

from typing import Any, Final

import gast

from srcgrad.ir.build import constant
from srcgrad.ir.walk import blocks_of

_FRESH: Final = (gast.BinOp, gast.Call)


def fold_constants(body: list[Any]) -> list[Any]:
    """Return `body` with its adjoint arithmetic made short.

    >>> from srcgrad.codegen.printer import to_source
    >>> def fold(text):
    ...     return to_source(fold_constants(gast.parse(text).body))
    >>> fold("a = 4 * x ** (4 - 1) * (g * 3)")
    'a = 12 * x**3 * g'
    >>> fold("a = 2 * y * 1.0"), fold("a += -b"), fold("a = a + -(b * c)")
    ('a = 2 * y', 'a -= b', 'a = a - b * c')
    """
    for statement in body:
        for part in blocks_of(statement):
            fold_constants(part)
        if isinstance(statement, (gast.Assign, gast.AugAssign, gast.Return)):
            if statement.value is not None:
                statement.value = _fold(statement.value)
        if isinstance(statement, gast.AugAssign):
            _subtract(statement)
    return body


def _subtract(statement: Any) -> None:
    value = statement.value
    if isinstance(statement.op, gast.Add) and _is_negative(value):
        statement.op, statement.value = gast.Sub(), value.operand


def _is_negative(node: Any) -> bool:
    return isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.USub)


def _fold(node: Any) -> Any:
    if isinstance(node, gast.BinOp):
        node.left, node.right = _fold(node.left), _fold(node.right)
        return _binary(node)
    if isinstance(node, gast.UnaryOp):
        node.operand = _fold(node.operand)
    elif isinstance(node, gast.Call):
        node.args = [_fold(item) for item in node.args]
    elif isinstance(node, gast.Dict):
        node.values = [_fold(item) for item in node.values]
    elif isinstance(node, gast.Tuple):
        node.elts = [_fold(item) for item in node.elts]
    return node


def _binary(node: Any) -> Any:
    left, right = _number(node.left), _number(node.right)
    if left is not None and right is not None and type(left) is int and type(right) is int:
        return _arithmetic(node, left, right)
    if isinstance(node.op, gast.Add) and _is_negative(node.right):
        return gast.BinOp(node.left, gast.Sub(), node.right.operand)
    if isinstance(node.op, gast.Pow) and right == 1:
        return node.left
    if isinstance(node.op, gast.Mult):
        return _product(node)
    return node


def _arithmetic(node: Any, left: int, right: int) -> Any:
    if isinstance(node.op, gast.Add):
        return constant(left + right)
    if isinstance(node.op, gast.Sub):
        return constant(left - right)
    return constant(left * right) if isinstance(node.op, gast.Mult) else node


def _product(node: Any) -> Any:
    """Gather the small whole factors of a product in front; one is left out."""
    factors = _factors(node)
    numbers = [_number(item) for item in factors]
    whole = [n for n in numbers if n is not None and n == int(n) and abs(n) < _EXACT]
    others = [f for f, n in zip(factors, numbers, strict=True) if n not in whole or n is None]
    if len(whole) < 2 and 1 not in whole:
        return node
    factor: float = 1
    for number in whole:
        factor *= number
    if not others or (factor == 1 and not any(isinstance(item, _FRESH) for item in others)):
        return node
    if all(float(n) == n and int(n) == n for n in whole):
        factor = int(factor)
    chain = others if factor == 1 else [constant(factor), *others]
    result = chain[0]
    for item in chain[1:]:
        result = gast.BinOp(result, gast.Mult(), item)
    return result


_EXACT: Final = 2**20


def _factors(node: Any) -> list[Any]:
    if isinstance(node, gast.BinOp) and isinstance(node.op, gast.Mult):
        return [*_factors(node.left), *_factors(node.right)]
    return [node]


def _number(node: Any) -> float | None:
    value = getattr(node, "value", None) if isinstance(node, gast.Constant) else None
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return value
    if _is_negative(node):
        inner = _number(node.operand)
        return None if inner is None else -inner
    return None
