"""Knows the variables of a text that surely hold numbers, arrays or containers, and no object.

Of them it is known what ``isinstance(other, Vector)`` gives, as operators of classes ask it.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Collection, Mapping
from types import ModuleType
from typing import Any, Final

from srcgrad.frontend.expand.values import Known, Static
from srcgrad.ir import gast
from srcgrad.ir.build import dotted_path
from srcgrad.ir.vocabulary import Vocabulary
from srcgrad.ir.walk import found_in, names_bound, walk
from srcgrad.runtime.objects import is_plain_class

_TOLD: Final = (gast.Constant, gast.Compare, gast.JoinedStr)
_DISPLAYS: Final = (gast.Tuple, gast.List, gast.Set)
_OURS: Final = "srcgrad.runtime."
_PASSED_ON: Final = (reversed, sorted, list, tuple)
_LISTS: Final = (gast.List, gast.Dict, gast.Set, gast.ListComp, gast.DictComp)


class NotPlainError(Exception):
    """A variable may be bound to an object, of which it was relied on that it holds none."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


class PlainValues:
    """The variables of one function.

    A plain value is no object, and so is what is in it, that of a list as long as it has no name:
    something else may be put there later. `meaning(node)` is what an expression means. The `names`
    are plain from the beginning.

    Attributes:
        loops: How many loops are around: what is bound there is read in the next trip, too.
    """

    def __init__(
        self,
        names: Collection[str],
        meaning: Callable[[Any], Any],
        vocabulary: Vocabulary,
    ) -> None:
        self._meaning = meaning
        self._vocabulary = vocabulary
        self._names = set(names)
        self._others: set[str] = set()
        self._relied: set[str] = set()
        self.loops = 0

    def take(self, tree: Any, names: Collection[str] = ()) -> None:
        """Take in a definition, whose variables that `with` and the like bind may be anything.

        Its parameters `names` are plain.
        """
        self.doubt(bound_otherwise(tree))
        self._names |= set(names) - self._others

    def doubt(self, names: Collection[str]) -> None:
        """Rely on nothing of some variables."""
        self._others.update(names)
        self._names.difference_update(names)

    def of(self, value: Any) -> bool:
        """Say whether an expression of the text surely gives no object of a class of users'."""
        if isinstance(value, _LISTS) or self._is_array(value):
            return True
        names: set[str] = set()
        if isinstance(value, Static) or not self._is_plain(value, names):
            return False
        self._relied |= names
        return True

    def bind(self, name: str, value: Any) -> bool:
        """Note what a variable is bound to; False if it was relied on that it is plain."""
        known = value is not None and not isinstance(value, (Static, *_LISTS))
        if known and name not in self._others and self._is_plain(value, set()):
            self._names.add(name)
            return True
        self._names.discard(name)
        self._others.add(name)
        return name not in self._relied or not self.loops

    def each_of(self, iterable: Any) -> Any:
        """Return an expression that is plain if each entry of what a loop runs through is."""
        callee = self._meaning(iterable.func) if isinstance(iterable, gast.Call) else None
        function = callee.value if isinstance(callee, Known) else None
        if function is range:
            return gast.Constant(0, None)
        args = iterable.args if function in (zip, enumerate, *_PASSED_ON) else []
        if not args or any(isinstance(item, gast.Starred) for item in args):
            return gast.Subscript(iterable, gast.Constant(0, None), gast.Load())
        if function in _PASSED_ON:
            return self.each_of(args[0])
        parts = [self.each_of(item) for item in (args if function is zip else args[:1])]
        counter = [gast.Constant(0, None)] if function is enumerate else []
        return gast.Tuple([*counter, *parts], gast.Load())

    def _is_plain(self, value: Any, names: set[str]) -> bool:
        if isinstance(value, gast.Name):
            names.add(value.id)
            return value.id in self._names
        if isinstance(value, gast.Call):
            return self._is_computed(value, names)
        parts: list[Any] | None = None
        if isinstance(value, _TOLD):
            parts = []
        elif isinstance(value, _DISPLAYS):
            parts = value.elts
        elif isinstance(value, (gast.Subscript, gast.Attribute)):
            parts = [value.value]
        elif isinstance(value, gast.BinOp):
            parts = [value.left, value.right]
        elif isinstance(value, gast.UnaryOp):
            parts = [value.operand]
        return parts is not None and all(self._is_plain(part, names) for part in parts)

    def _is_array(self, value: Any) -> bool:
        """Say whether an expression surely gives an array, whatever is in it."""
        callee = self._meaning(value.func) if isinstance(value, gast.Call) else None
        if not isinstance(callee, Known) or not self._vocabulary.rule_for(callee.value):
            return False
        return self._vocabulary.primitive(callee.value).gives == "array"

    def _is_computed(self, call: Any, names: set[str]) -> bool:
        """Say whether a function of numbers is called, or one of arrays with plain arguments.

        What the compiler has put there itself computes with numbers.
        """
        callee, given = self._meaning(call.func), [*call.args, *_values_of(call.keywords)]
        if isinstance(callee, Known):
            if not self._vocabulary.rule_for(callee.value):
                return False
            known = self._vocabulary.primitive(callee.value)
            if self._vocabulary.canonical_name(callee.value).startswith(_OURS):
                return True
            if known.kind in ("float", "truth", "int"):
                return True
            lists = known.gives in ("list", "tuple")
        elif isinstance(call.func, gast.Attribute):
            lists = call.func.attr == "tolist"
            given.append(call.func.value)
        else:
            return False
        return not lists and all(self._is_plain(item, names) for item in given)


def _values_of(keywords: list[Any]) -> list[Any]:
    return [item.value for item in keywords]


_BINDERS: Final = (
    *(gast.NamedExpr, gast.withitem, gast.Global, gast.Nonlocal),
    *(gast.ClassDef, gast.ExceptHandler, gast.alias, gast.MatchAs, gast.MatchStar),
    gast.MatchMapping,
)
"""What binds names, but for assignments, loops and functions, which are known after them."""


def bound_otherwise(tree: Any) -> set[str]:
    r"""Return the names that a definition binds in other ways than by assignments and loops.

    >>> tree = gast.parse("def f(x):\n    y = x\n    with y as z:\n        w = z").body[0]
    >>> sorted(bound_otherwise(tree))
    ['z']
    """
    found: set[str] = set()
    for node in (n for statement in tree.body for n in found_in(statement, *_BINDERS)):
        if isinstance(node, gast.NamedExpr):
            found.update(names_bound(node.target))
        elif isinstance(node, gast.withitem) and node.optional_vars is not None:
            found.update(names_bound(node.optional_vars))
        elif isinstance(node, (gast.Global, gast.Nonlocal)):
            found.update(node.names)
        elif isinstance(node, gast.ClassDef):
            found.add(node.name)
        elif isinstance(node, gast.ExceptHandler) and node.name is not None:
            found.add(getattr(node.name, "id", node.name))
        elif isinstance(node, gast.alias):
            found.add((node.asname or node.name).partition(".")[0])
        elif isinstance(node, (gast.MatchAs, gast.MatchStar, gast.MatchMapping)):
            found.add(getattr(node, "name", None) or getattr(node, "rest", None) or "")
    return found


def asks_of_classes(tree: Any, names: Mapping[str, Any]) -> bool:
    r"""Say whether a definition may ask if something is a function, or of a class of the user's.

    `names` are those of its module.

    >>> tree = gast.parse("def f(x):\n    return isinstance(x, (float, Kind))").body[0]
    >>> asks_of_classes(tree, {"Kind": int}), asks_of_classes(tree, {})
    (False, True)
    """
    calls = [item for item in walk(tree) if isinstance(item, gast.Call)]
    if any(getattr(call.func, "id", "") == "callable" for call in calls):
        return True
    calls = [call for call in calls if len(call.args) == 2]
    kinds = [call.args[1] for call in calls if getattr(call.func, "id", "") == "isinstance"]
    each = (part for kind in kinds for part in getattr(kind, "elts", [kind]))
    return any(_may_be_users(part, names) for part in each)


def _may_be_users(kind: Any, names: Mapping[str, Any]) -> bool:
    first, *more = dotted_path(kind).split(".")
    found = names.get(first, getattr(builtins, first, None))
    for name in more:
        found = getattr(found, name, None) if isinstance(found, ModuleType) else None
    return not isinstance(found, type) or is_plain_class(found)
