"""Knows the variables of a text that surely hold numbers, arrays or containers, and no object.

Of them it is known what ``isinstance(other, Vector)`` gives, as operators of classes ask it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, Final

import gast

from srcgrad.frontend.expand.values import Known, Static
from srcgrad.ir.walk import names_bound, walk

_DISPLAYS: Final = (
    *(gast.Tuple, gast.List, gast.Dict, gast.Set, gast.ListComp, gast.DictComp),
    *(gast.Constant, gast.Compare, gast.JoinedStr),
)


class PlainValues:
    """The variables of one function.

    `meaning(node)` is what an expression means; `is_ruled(function)` says whether a function has
    a derivative rule, and returns what it computes. The `names` are plain from the beginning.
    """

    def __init__(
        self,
        names: Collection[str],
        meaning: Callable[[Any], Any],
        is_ruled: Callable[[Any], bool],
    ) -> None:
        self._meaning = meaning
        self._is_ruled = is_ruled
        self._names = set(names)
        self._others: set[str] = set()
        self._relied: set[str] = set()

    def take(self, tree: Any, names: Collection[str] = ()) -> None:
        """Take in a definition, whose variables that loops and the like bind may be anything.

        Its parameters `names` are plain.
        """
        self._others |= bound_otherwise(tree)
        self._names |= set(names) - self._others

    def of(self, value: Any) -> bool:
        """Say whether an expression of the text surely gives no object of a class of users'."""
        names: set[str] = set()
        if isinstance(value, Static) or not self._is_plain(value, names):
            return False
        self._relied |= names
        return True

    def bind(self, name: str, value: Any) -> bool:
        """Note what a variable is bound to; False if it was relied on that it is plain."""
        known = value is not None and not isinstance(value, Static)
        if known and name not in self._others and self._is_plain(value, set()):
            self._names.add(name)
            return True
        self._names.discard(name)
        self._others.add(name)
        return name not in self._relied

    def _is_plain(self, value: Any, names: set[str]) -> bool:
        if isinstance(value, _DISPLAYS):
            return True
        if isinstance(value, gast.Name):
            names.add(value.id)
            return value.id in self._names
        if isinstance(value, (gast.Subscript, gast.Attribute)):
            return self._is_plain(value.value, names)
        if isinstance(value, gast.BinOp):
            return self._is_plain(value.left, names) and self._is_plain(value.right, names)
        if isinstance(value, gast.UnaryOp):
            return self._is_plain(value.operand, names)
        if isinstance(value, gast.IfExp):
            return self._is_plain(value.body, names) and self._is_plain(value.orelse, names)
        return isinstance(value, gast.Call) and self._is_computed(value, names)

    def _is_computed(self, call: Any, names: set[str]) -> bool:
        callee = self._meaning(call.func)
        if isinstance(callee, Known):
            return self._is_ruled(callee.value)
        return isinstance(call.func, gast.Attribute) and self._is_plain(call.func.value, names)


def bound_otherwise(tree: Any) -> set[str]:
    r"""Return the names that a definition binds in other ways than by assignments.

    >>> tree = gast.parse("def f(x):\n    y = x\n    for z in y:\n        w = z").body[0]
    >>> sorted(bound_otherwise(tree))
    ['z']
    """
    found: set[str] = set()
    for node in (n for statement in tree.body for n in walk(statement)):
        if isinstance(node, (gast.For, gast.NamedExpr)):
            found.update(names_bound(node.target))
        elif isinstance(node, gast.withitem) and node.optional_vars is not None:
            found.update(names_bound(node.optional_vars))
        elif isinstance(node, (gast.Global, gast.Nonlocal)):
            found.update(node.names)
        elif isinstance(node, (gast.FunctionDef, gast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, gast.ExceptHandler) and node.name is not None:
            found.add(getattr(node.name, "id", node.name))
        elif isinstance(node, gast.alias):
            found.add((node.asname or node.name).partition(".")[0])
        elif isinstance(node, (gast.MatchAs, gast.MatchStar, gast.MatchMapping)):
            found.add(getattr(node, "name", None) or getattr(node, "rest", None) or "")
    return found
