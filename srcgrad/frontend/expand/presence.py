"""Decides tests whether arguments are None, where a text is made for some that are not."""

from __future__ import annotations

from collections.abc import Collection
from types import CodeType, FunctionType
from typing import Any, Final
from weakref import WeakKeyDictionary

from srcgrad.errors import SrcgradError
from srcgrad.frontend.remembered import source_to_read
from srcgrad.ir import gast
from srcgrad.ir.walk import found_in, names_bound, walk

_BINDING: Final = gast.Assign, gast.AugAssign, gast.AnnAssign, gast.For


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
    if not isinstance(other, gast.Name) or other.id not in present:
        return None
    return isinstance(op, gast.IsNot)
