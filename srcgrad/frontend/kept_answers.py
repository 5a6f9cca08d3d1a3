"""Finds where a program asks whether what an earlier call has kept is of the same argument."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection
from typing import Any, Final

import numpy as np

from srcgrad.ir import gast
from srcgrad.ir.walk import found_in, names_bound, root_name, walk

_EQUAL: Final = (np.array_equal, np.array_equiv)
ASKED: Final = "a test whether what an earlier call has kept is of the same argument"
HINT: Final = "keep nothing from call to call"
_PLACES: Final = (gast.Subscript, gast.Attribute, gast.Name)


def asks_what_is_kept(
    body: list[Any],
    kept: Collection[str],
    varies: Callable[[Any], bool],
    meaning: Callable[[Any], Any],
) -> Any | None:
    """Return what compares a value that varies with what is kept, or looks it up there; else None.

    What is `kept` when the program is run again may be found so, as ``if x == self.x``: it would be
    a constant, whatever it was made of. `meaning` says which function is called.

    >>> body = gast.parse("if k in known: y = known[k]").body
    >>> found = asks_what_is_kept(body, {"known"}, lambda _: True, lambda _: None)
    >>> gast.unparse(found)
    'k in known'
    """
    left = set(kept)
    for statement in body:
        for node in walk(statement):
            for one, other in _compared(node, meaning):
                if _is_kept(one, left) and not _is_kept(other, kept) and varies(other):
                    return node
        if isinstance(statement, gast.Assign):  # which is of this call from here on
            left.difference_update(name for t in statement.targets for name in names_bound(t))
    return None


def lasting_defaults(function: Any) -> set[str]:
    """Return the parameters of a function whose default is a list or dict, which outlives calls."""
    if not function.__defaults__ and not function.__kwdefaults__:
        return set()
    parameters = inspect.signature(function).parameters.values()
    return {item.name for item in parameters if type(item.default) in (list, dict)}


def stored_outside(body: list[Any], is_outside: Callable[[str], bool]) -> set[str]:
    """Return the names from outside of a function under which its body stores entries."""
    roots = {root_name(node) or "" for line in body for node in found_in(line, gast.Subscript)}
    return stored_into(body, set(filter(is_outside, roots)))


def stored_into(body: list[Any], names: Collection[str]) -> set[str]:
    """Return those of some names under which a body stores entries."""
    places = [node for line in body for node in found_in(line, gast.Subscript)]
    stored = {root_name(node) for node in places if isinstance(node.ctx, gast.Store)}
    return {name for name in names if name in stored}


def _is_kept(value: Any, kept: Collection[str]) -> bool:
    return isinstance(value, _PLACES) and root_name(value) in kept


def _compared(node: Any, meaning: Callable[[Any], Any]) -> list[tuple[Any, Any]]:
    """Return what a node asks to be equal to what, or to hold it."""
    if isinstance(node, gast.Compare) and len(node.ops) == 1:
        left, right = node.left, node.comparators[0]
        if isinstance(node.ops[0], (gast.In, gast.NotIn)):
            return [(right, left)]
        if isinstance(node.ops[0], (gast.Eq, gast.NotEq)):
            return [(left, right), (right, left)]
    if isinstance(node, gast.Call) and len(node.args) > 1:
        function = meaning(node.func)
        if any(function is known for known in _EQUAL) or function is np.allclose:
            return [(node.args[0], node.args[1]), (node.args[1], node.args[0])]
    return []
