"""Says which statements surely raise nothing that a `try` around them waits for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from srcgrad.ir import gast
from srcgrad.ir.scopes import Scope

_OF_OTHERS: Final = frozenset(
    [ValueError, LookupError, KeyError, IndexError, AttributeError, ZeroDivisionError]
)
"""What the addition and multiplication of numbers never raise."""


class Raising:
    """Judges the statements of one function.

    >>> from srcgrad.compiler.doctesting import parse, reader_of
    >>> raising = Raising(reader_of().scope, {"a", "b"}.__contains__)
    >>> attempt, other = parse('''
    ... try:
    ...     y = a * b
    ...     z = a * c
    ...     w = a / b
    ... except ValueError:
    ...     y = 0.0
    ... try:
    ...     y = a * b
    ... except ArithmeticError:
    ...     y = 0.0
    ... ''')
    >>> [raising.spares(attempt.handlers, item) for item in attempt.body]
    [True, False, False]
    >>> raising.spares(other.handlers, other.body[0])
    False
    """

    def __init__(self, scope: Scope, is_number: Callable[[str], bool]) -> None:
        self._scope = scope
        self._is_number = is_number

    def spares(self, handlers: Sequence[Any], statement: Any) -> bool:
        """Say whether a statement surely raises nothing that any of the handlers catches."""
        plain = isinstance(statement, gast.Assign) and self._is_sum(statement.value)
        return plain and all(self._waits_for_others(handler.type) for handler in handlers)

    def _waits_for_others(self, kind: Any) -> bool:
        kinds = kind.elts if isinstance(kind, gast.Tuple) else [kind]
        return all(item is not None and self._scope.resolve(item) in _OF_OTHERS for item in kinds)

    def _is_sum(self, node: Any) -> bool:
        """Say whether an expression adds and multiplies numbers."""
        if isinstance(node, gast.Constant):
            return type(node.value) in (int, float)
        if isinstance(node, gast.Name):
            return self._is_number(node.id)
        if isinstance(node, gast.UnaryOp):
            return isinstance(node.op, (gast.USub, gast.UAdd)) and self._is_sum(node.operand)
        plain = isinstance(node, gast.BinOp) and isinstance(
            node.op, (gast.Add, gast.Sub, gast.Mult)
        )
        return plain and self._is_sum(node.left) and self._is_sum(node.right)
