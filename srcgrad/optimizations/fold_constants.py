"""Does the arithmetic of literals, and leaves out products with one."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, Final

import gast
import numpy as np

from srcgrad.ir.build import constant
from srcgrad.ir.walk import blocks_of, names_read

_MAKERS: Final = frozenset(["sum", "mean", "where", "dot", "outer", "zeros_like", "ones_like"])
_EXACT: Final = 2**20


class ConstantFolding:
    """Folds the statements of one body.

    `is_float(name)` says which names surely hold floating-point numbers: a product with 1.0 turns
    integers into those, and is left out only where that is no matter.

    >>> from srcgrad.codegen.printer import to_source
    >>> def fold(text):
    ...     return to_source(ConstantFolding(lambda name: name != "k").run(gast.parse(text).body))
    >>> fold("a = 4 * x ** (4 - 1) * (g * 3)")
    'a = 12 * x**3 * g'
    >>> fold("a = 2 * y * 1.0"), fold("a += -b"), fold("a = a + -(b * c)")
    ('a = 2 * y', 'a -= b', 'a = a - b * c')
    >>> fold("a = 2 * k * 1.0"), fold("a = 0.5 * 1.0 / k")
    ('a = 2 * k * 1.0', 'a = 0.5 / k')
    >>> fold("a = 1.0 * x / y"), fold("a = 1.0 * k / y")
    ('a = x / y', 'a = 1.0 * k / y')
    """

    def __init__(self, is_float: Callable[[str], bool]) -> None:
        self._is_float = is_float

    def run(self, body: list[Any]) -> list[Any]:
        """Return `body` with its arithmetic made short."""
        for statement in body:
            for part in blocks_of(statement):
                self.run(part)
            computes = isinstance(statement, (gast.Assign, gast.AugAssign, gast.Return, gast.Expr))
            if computes and statement.value is not None:
                statement.value = self._fold(statement.value)
            if isinstance(statement, gast.AugAssign):
                _subtract(statement)
        return body

    def _fold(self, node: Any) -> Any:
        if isinstance(node, gast.BinOp):
            node.left, node.right = self._fold(node.left), self._fold(node.right)
            if isinstance(node.op, gast.Div):
                node.left = self._without_one(node.left)
            return self._binary(node)
        for field in ("operand", "args", "values", "elts"):
            inner = getattr(node, field, None)
            if isinstance(inner, list):
                setattr(node, field, [self._fold(item) for item in inner])
            elif inner is not None and isinstance(node, gast.UnaryOp):
                node.operand = self._fold(inner)
        return node

    def _binary(self, node: Any) -> Any:
        left, right = _number(node.left), _number(node.right)
        if isinstance(left, int) and isinstance(right, int):
            return _arithmetic(node, left, right)
        if isinstance(node.op, gast.Add) and _leads_negative(node.right):
            return gast.BinOp(node.left, gast.Sub(), _turned(node.right))
        if isinstance(node.op, gast.Pow) and right == 1:
            return node.left
        return self._product(node) if isinstance(node.op, gast.Mult) else node

    def _without_one(self, node: Any) -> Any:
        """Return `x` for ``1.0 * x``, as the numerator of a quotient, which is a fresh array."""
        plain = isinstance(node, gast.BinOp) and isinstance(node.op, gast.Mult)
        if plain and _number(node.left) == 1 and isinstance(node.right, gast.Name):
            return node.right if self._is_float(node.right.id) else node
        return node

    def _product(self, node: Any) -> Any:
        """Gather the small whole factors of a product in front; one is left out."""
        whole: list[float] = []
        others: list[Any] = []
        for factor in _factors(node):
            number = _number(factor)
            if number is not None and number == int(number) and abs(number) < _EXACT:
                whole.append(number)
            else:
                others.append(factor)
        if len(whole) < 2 and 1 not in whole:
            return node
        names = [name for item in others for name in names_read(item)]
        literal = any(isinstance(_number(item), float) for item in others)
        if not literal and not any(map(self._is_float, names)):
            return node
        total = int(math.prod(whole))
        alone = len(others) == 1 and not _is_fresh(others[0])
        if total == 1 and alone:
            return node
        chain = others if total == 1 else [constant(total), *others]
        return functools.reduce(lambda a, b: gast.BinOp(a, gast.Mult(), b), chain)


def _subtract(statement: Any) -> None:
    value = statement.value
    if isinstance(statement.op, gast.Add) and _leads_negative(value):
        statement.op, statement.value = gast.Sub(), _turned(value)


def _is_fresh(node: Any) -> bool:
    """Say whether an expression surely is a number or an array of its own, not another's."""
    if isinstance(node, (gast.BinOp, gast.Constant)):
        return True
    func = getattr(node, "func", None)
    if not isinstance(func, gast.Attribute) or getattr(func.value, "id", "") != "np":
        return False
    return func.attr in _MAKERS or isinstance(getattr(np, func.attr, None), np.ufunc)


def _leads_negative(node: Any) -> bool:
    """Say whether a product or quotient begins with a minus, as ``-a * b / c`` does."""
    while isinstance(node, gast.BinOp) and isinstance(node.op, (gast.Mult, gast.Div)):
        node = node.left
    return _is_negative(node)


def _turned(node: Any) -> Any:
    """Return a product or quotient without the minus that it begins with."""
    if _is_negative(node):
        return node.operand
    return gast.BinOp(_turned(node.left), node.op, node.right)


def _is_negative(node: Any) -> bool:
    return isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.USub)


def _arithmetic(node: Any, left: int, right: int) -> Any:
    if isinstance(node.op, gast.Add):
        return constant(left + right)
    if isinstance(node.op, gast.Sub):
        return constant(left - right)
    return constant(left * right) if isinstance(node.op, gast.Mult) else node


def _factors(node: Any) -> list[Any]:
    if isinstance(node, gast.BinOp) and isinstance(node.op, gast.Mult):
        return [*_factors(node.left), *_factors(node.right)]
    return [node]


def _number(node: Any) -> int | float | None:
    value = getattr(node, "value", None) if isinstance(node, gast.Constant) else None
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return value
    if _is_negative(node):
        inner = _number(node.operand)
        return None if inner is None else -inner
    return 1 if _is_log_of_e(node) else None


def _is_log_of_e(node: Any) -> bool:
    """Say whether an expression is ``math.log(math.e)``, as the rule of `math.log` has it."""
    func = getattr(node, "func", None)
    if not isinstance(func, gast.Attribute) or func.attr != "log" or len(node.args) != 1:
        return False
    return getattr(node.args[0], "attr", "") == "e"
