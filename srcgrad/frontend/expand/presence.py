"""Decides tests whether arguments are None, where a text is made for some that are not."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from types import CodeType, FunctionType
from typing import Any, Final
from weakref import WeakKeyDictionary

from srcgrad.errors import SrcgradError
from srcgrad.frontend.expand.scoping import parameters
from srcgrad.frontend.remembered import source_to_read
from srcgrad.ir import gast
from srcgrad.ir.walk import found_in, names_bound, walk

_MADE: Final = (
    *(gast.BinOp, gast.UnaryOp, gast.Compare, gast.JoinedStr),
    *(gast.Tuple, gast.List, gast.Dict, gast.Set, gast.ListComp, gast.DictComp, gast.SetComp),
)
_BINDING: Final = gast.Assign, gast.AugAssign, gast.AnnAssign, gast.For


@dataclass(frozen=True, slots=True)
class Questions:
    """Of what a definition asks whether it is None.

    Attributes:
        followed: The names of which it is known, if it asks at all.
        own: Every name in it.
        parameters: Those of its parameters of which it may ask.
    """

    followed: frozenset[str]
    own: frozenset[str]
    parameters: frozenset[str]

    @classmethod
    def of(cls, tree: Any) -> Questions:
        r"""Find the questions of a definition.

        >>> asked = Questions.of(gast.parse("def f(x, n):\n  y = x\n  return y is None").body[0])
        >>> sorted(asked.followed), sorted(asked.parameters)
        (['n', 'x', 'y'], ['n', 'x'])
        """
        tests = [test for test in found_in(tree, gast.Compare) if _asks_for_none(test)]
        if not tests:
            return cls(frozenset(), frozenset(), frozenset())
        own = frozenset(item.id for item in found_in(tree, gast.Name))
        asked = {getattr(test.left, "id", "") for test in tests}
        given = frozenset(parameters(tree.args))
        direct = asked.issubset(given)  # else it may ask of what a parameter was bound to
        names = frozenset(followed(tree, own | given))
        return cls(names, own | given, names & given & asked if direct else names & given)

    def concern(self, parameter: str) -> bool:
        """Say whether it may be asked of a parameter of a function that is made of the definition.

        One that is not in it stands for a part of ``*args``, or for what it closes over.
        """
        return bool(self.followed) and (parameter in self.parameters or parameter not in self.own)


def is_something(value: Any, present: Collection[str]) -> bool:
    """Say whether an expression is surely not None, for names that are `present`.

    >>> [is_something(gast.parse(item).body[0].value, {"x"}) for item in ("x", "-n", "n", "[n]")]
    [True, True, False, True]
    """
    if isinstance(value, gast.Name):
        return value.id in present
    if isinstance(value, gast.Constant):
        return value.value is not None
    return isinstance(value, _MADE)


def asked_for(function: Any) -> frozenset[str]:
    """Return the names of which a function asks whether they are None.

    >>> def scaled(x, rate, n=None, out=None):
    ...     return x if n is None or rate is not None else x * n
    >>> sorted(asked_for(scaled)), asked_for(len)
    (['n', 'rate'], frozenset())
    """
    if not isinstance(function, FunctionType):
        return frozenset()
    code = function.__code__
    if code not in _ASKED:
        try:
            tests = found_in(source_to_read(function).tree, gast.Compare)
        except SrcgradError:  # later it is said better
            tests = []
        asked = [test.left for test in tests if _asks_for_none(test)]
        _ASKED[code] = frozenset(item.id for item in asked if isinstance(item, gast.Name))
    return _ASKED[code]


def _asks_for_none(test: Any) -> bool:
    if len(test.ops) != 1 or type(test.ops[0]) not in (gast.Is, gast.IsNot):
        return False
    other = test.comparators[0]
    return isinstance(other, gast.Constant) and other.value is None


_ASKED: Final[WeakKeyDictionary[CodeType, frozenset[str]]] = WeakKeyDictionary()


def followed(tree: Any, names: Collection[str]) -> set[str]:
    r"""Return those names that a function binds, if at all, by assignments and loops of its own.

    >>> tree = gast.parse("def f(x, n, k):\n  x = n\n  if (k := x): pass").body[0]
    >>> sorted(followed(tree, ["x", "n", "k"]))
    ['n', 'x']
    """
    if not names:
        return set()
    plain = {
        id(target)
        for item in found_in(tree, *_BINDING)
        for whole in (item.targets if isinstance(item, gast.Assign) else [item.target])
        for target in found_in(whole, gast.Name)
    }
    others = set[str]()
    for node in walk(tree):
        if isinstance(node, gast.Name):
            if not isinstance(node.ctx, (gast.Load, gast.Param)) and id(node) not in plain:
                others.add(node.id)
        elif isinstance(node, (gast.Nonlocal, gast.Global)):
            others.update(node.names)
        else:
            others.update(_named_by(node))
    return set(names) - others


def _named_by(node: Any) -> set[str]:
    """Return what a node binds that is no name in the tree."""
    if isinstance(node, (gast.Import, gast.ImportFrom)):
        return {item.asname or item.name.partition(".")[0] for item in node.names}
    if isinstance(node, gast.ExceptHandler):
        return set(names_bound(node.name)) if isinstance(node.name, gast.AST) else {node.name or ""}
    return {getattr(node, key, None) or "" for key in ("name", "rest") if _is_text(node, key)}


def _is_text(node: Any, key: str) -> bool:
    return isinstance(getattr(node, key, None), str)


def is_none(op: Any, values: list[Any], present: Collection[str]) -> bool | None:
    """Say what a comparison with None gives of what is present; None of anything else.

    >>> test = gast.parse("n is not None").body[0].value
    >>> is_none(test.ops[0], [test.left, test.comparators[0]], {"n"})
    True
    """
    nothing = [isinstance(item, gast.Constant) and item.value is None for item in values]
    if sum(nothing) != 1 or type(op) not in (gast.Is, gast.IsNot):
        return None
    other = values[nothing.index(False)]
    told = isinstance(other, gast.Tuple) and not found_in(other, gast.Call)
    if not told and (not isinstance(other, gast.Name) or other.id not in present):
        return None
    return isinstance(op, gast.IsNot)
