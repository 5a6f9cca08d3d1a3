"""Finds where a program asks whether what an earlier call has kept is of the same argument."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection
from typing import Any, Final

import numpy as np

from srcgrad.ir import gast
from srcgrad.ir.walk import found_in, names_bound, nodes_in, root_name, walk
from srcgrad.rules.records import primitive_of

NEAR: Final = 1e-6
"""What is no farther apart passes for equal."""
ASKED: Final = "a test whether what an earlier call has kept is of the same argument"
HINT: Final = "keep nothing from call to call"
_PLACES: Final = (gast.Subscript, gast.Attribute, gast.Name)
_SIZES: Final = (gast.Lt, gast.LtE, gast.Gt, gast.GtE, gast.Eq, gast.NotEq)


def asks_what_is_kept(
    body: list[Any],
    kept: Collection[str],
    varies: Callable[[Any], bool],
    meaning: Callable[[Any], Any],
) -> Any | None:
    r"""Return what compares a value that varies with what is kept, or looks it up; else None.

    What is `kept` when the program is run again may be found so, as ``if x == self.x``: it would be
    a constant, whatever it was made of. `meaning` says which function is called, and what a name
    is. A test whether a distance is next to nothing asks for the same; to ask whether it is larger
    than a number that is known, as what limits a rate does, is another thing.

    >>> body = gast.parse("if k in known: y = known[k]").body
    >>> found = asks_what_is_kept(body, {"known"}, lambda _: True, lambda _: None)
    >>> gast.unparse(found)
    'k in known'
    >>> body = gast.parse("d = np.abs(x - last)\nif np.max(d) > 0.0: y = 1.0").body
    >>> found = asks_what_is_kept(body, {"last"}, lambda _: True, lambda _: None)
    >>> gast.unparse(found)
    'np.max(d) > 0.0'
    """
    left = set(kept)
    distances: set[str] = set()  # the names of what is calculated from one
    numbers: dict[str, Any] = {}

    def is_met(one: Any, other: Any) -> bool:
        return _is_kept(one, left) and not _is_kept(other, kept) and varies(other)

    def is_distance(value: Any) -> bool:
        if isinstance(value, gast.Compare):  # whose answer is no distance
            return False
        if getattr(value, "id", "") in distances or any(map(is_distance, nodes_in(value))):
            return True
        return any(is_met(*pair) for pair in _subtracted(value, meaning))

    def is_large(value: Any) -> bool:
        value = numbers.get(value.id, value) if isinstance(value, gast.Name) else value
        found = value.value if isinstance(value, gast.Constant) else meaning(value)
        return isinstance(found, (int, float)) and abs(found) > NEAR

    for statement in body:
        for node in walk(statement):
            if any(is_met(*pair) for pair in _compared(node, meaning)):
                return node
            measured = ((a, b) for a, b in _measured(node, meaning) if not is_large(b))
            if any(is_distance(a) for a, _ in measured):
                return node
            if isinstance(node, gast.Assign):
                names = {name for target in node.targets for name in names_bound(target)}
                numbers.update(dict.fromkeys(names, node.value))
                distances |= names if is_distance(node.value) else set()
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
    if not isinstance(node, gast.Call) or len(node.args) < len(("one", "other")):
        return []
    asks = primitive_of(meaning(node.func)).compares in ("equal", "unequal")
    return [(node.args[0], node.args[1]), (node.args[1], node.args[0])] if asks else []


def _subtracted(node: Any, meaning: Callable[[Any], Any]) -> list[tuple[Any, Any]]:
    """Return what a node takes from what."""
    one = other = None
    if isinstance(node, gast.BinOp) and isinstance(node.op, gast.Sub):
        one, other = node.left, node.right
    elif isinstance(node, gast.Call) and len(node.args) > 1 and meaning(node.func) is np.subtract:
        one, other = node.args[:2]
    return [] if one is None else [(one, other), (other, one)]


def _measured(node: Any, meaning: Callable[[Any], Any]) -> list[tuple[Any, Any]]:
    """Return what a node asks to be smaller or larger than what, or whether it is anything."""
    if isinstance(node, gast.Compare) and isinstance(node.ops[0], _SIZES):
        left, right = node.left, node.comparators[0]
        return [(left, right), (right, left)]
    asked = []
    if isinstance(node, gast.Call) and primitive_of(meaning(node.func)).compares == "count":
        asked = node.args[:1]
    elif isinstance(node, (gast.If, gast.While, gast.IfExp)):
        asked = [node.test]
    elif isinstance(node, gast.BoolOp):
        asked = node.values
    elif isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.Not):
        asked = [node.operand]
    return [(item, gast.Constant(0.0, None)) for item in asked]
