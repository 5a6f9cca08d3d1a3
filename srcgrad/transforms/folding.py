"""Folds the tests of a rule's body, where the compiler knows the answer."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

from srcgrad.ir import gast

UNKNOWN: Final = object()

_RANKS: Final = {"is_vector": 1, "is_matrix": 2}

_COMPARE: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "Is": lambda a, b: a is b,
    "IsNot": lambda a, b: a is not b,
    "Eq": lambda a, b: a == b,
    "NotEq": lambda a, b: a != b,
    "Lt": lambda a, b: a < b,
    "LtE": lambda a, b: a <= b,
    "Gt": lambda a, b: a > b,
    "GtE": lambda a, b: a >= b,
    "In": lambda a, b: a in b,
    "NotIn": lambda a, b: a not in b,
}


def literal(node: Any) -> Any:
    """Return the value of a literal expression, or UNKNOWN.

    >>> literal(gast.parse("(1, -2)").body[0].value)
    (1, -2)
    """
    if isinstance(node, gast.Constant):
        return node.value
    if isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.USub):
        value = literal(node.operand)
        return -value if isinstance(value, (int, float, complex)) else UNKNOWN
    if isinstance(node, (gast.Tuple, gast.List)):
        items = [literal(item) for item in node.elts]
        return UNKNOWN if UNKNOWN in items else tuple(items)
    return UNKNOWN


class Folder:
    """Answers tests: True, False, or None where nothing is known.

    `is_shortcut(node)` says whether a call is one of the predicates after whose False anything goes
    (`srcgrad.runtime.predicates`); those are answered by `shortcut(name, arguments)`.
    """

    def __init__(
        self,
        shortcut_name: Callable[[Any], str | None],
        known_rank: Callable[[Any], int | None],
    ) -> None:
        self._shortcut_name = shortcut_name
        self._known_rank = known_rank

    def test(self, node: Any) -> bool | None:
        """Return the truth of a test, or None."""
        value = literal(node)
        if value is not UNKNOWN:
            return bool(value)
        if isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.Not):
            inner = self.test(node.operand)
            return None if inner is None else not inner
        if isinstance(node, gast.BoolOp):
            return self._boolean(node)
        if isinstance(node, gast.Compare) and len(node.ops) == 1:
            return self._compare(node)
        if isinstance(node, gast.Call):
            name = self._shortcut_name(node.func)
            return None if name is None else self._shortcut(name, node)
        return None

    def _boolean(self, node: Any) -> bool | None:
        answers = [self.test(item) for item in node.values]
        decisive = isinstance(node.op, gast.Or)
        if decisive in answers:
            return decisive
        return None if None in answers else not decisive

    def _compare(self, node: Any) -> bool | None:
        left, right = literal(node.left), literal(node.comparators[0])
        operator = type(node.ops[0]).__name__
        if UNKNOWN in (left, right):
            return None
        try:
            return bool(_COMPARE[operator](left, right))
        except TypeError:
            return None

    def _shortcut(self, name: str, call: Any) -> bool:
        if name in _RANKS:
            return self._known_rank(call.args[0]) == _RANKS[name]
        if name == "is_pair":
            items = getattr(call.args[0], "elts", ())
            return len(items) == len(("a", "b")) and all(self._known_rank(i) == 0 for i in items)
        if name == "shortcut":
            return self.test(call.args[0]) is True
        return self._is_number(call)

    def _is_number(self, call: Any) -> bool:
        value = literal(call.args[0])
        if type(value) not in (int, float):
            return False
        if len(call.args) > 1 and value != literal(call.args[1]):
            return False
        limits = {item.arg: literal(item.value) for item in call.keywords}
        least, below = limits.get("at_least", value), limits.get("below", math.inf)
        return bool(least <= value < below)
