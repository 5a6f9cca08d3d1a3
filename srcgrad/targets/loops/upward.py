"""Lets backward loops count upwards where no trip asks what another has done.

Compilers turn loops that count upwards into vector operations, and mostly leave others alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from srcgrad.ir import gast
from srcgrad.ir.build import call
from srcgrad.ir.marks import DOWNWARD
from srcgrad.ir.nodes import Comment
from srcgrad.ir.walk import found_in, walk
from srcgrad.targets.loops.aliases import Aliases
from srcgrad.targets.loops.exposed import loaded_in
from srcgrad.targets.loops.kind import Array, Kind, is_number

_PURE: Final = frozenset({"np", "math"})


def count_upwards(function: Any, kind_of: Callable[[Any], Kind]) -> None:
    """Turn the innermost loops of a function that may as well run the other way.

    Such a loop does no more than to add to entries of arrays, and to numbers, and to assign entries
    of its own in each trip, none of which it reads otherwise: then sums are added up in another
    order, and nothing else differs.
    """
    loops = [node for node in found_in(function, gast.For) if DOWNWARD.of(node)]
    if not loops:
        return
    aliases = Aliases(function, kind_of)
    for loop in loops:
        name = getattr(loop.target, "id", "")
        if _only_adds(loop, kind_of, aliases) and not _is_read_elsewhere(function, name):
            loop.iter = call("range", *DOWNWARD.of(loop))


def _only_adds(loop: Any, kind_of: Callable[[Any], Kind], aliases: Aliases) -> bool:
    written: dict[str, list[str]] = {"added": [], "assigned": [], "bound": []}
    read: set[str] = set()
    for statement in loop.body:
        if isinstance(statement, Comment):
            continue
        found = _written(statement, loop, kind_of)
        if found is None or not _is_pure(statement.value, kind_of):
            return False
        how, name, places = found
        read |= loaded_in([statement.value, *places]) - set(written["bound"])
        written[how].append(name)
    added, assigned = written["added"], written["assigned"]
    if loop.orelse or not read.union(added, assigned).isdisjoint(written["bound"]):
        return False
    pairs = [(one, other) for one in {*added, *assigned} for other in read]
    pairs += [(one, other) for one in assigned for other in added]
    pairs += [(one, other) for place, one in enumerate(assigned) for other in assigned[:place]]
    return not any(one == other or aliases.may_meet(one, other) for one, other in pairs)


def _written(
    statement: Any, loop: Any, kind_of: Callable[[Any], Kind]
) -> tuple[str, str, list[Any]] | None:
    """Return how a statement writes, what, and at which place; None if in no way that is known."""
    if isinstance(statement, gast.AugAssign) and isinstance(statement.op, (gast.Add, gast.Sub)):
        target = statement.target
        if not is_number(kind_of(target)):
            return None
        if isinstance(target, gast.Subscript):
            named = isinstance(target.value, gast.Name)
            return ("added", target.value.id, [target.slice]) if named else None
        return "added", target.id, []
    if _assigns_own(statement, loop, kind_of):
        return "assigned", statement.targets[0].value.id, []
    if not isinstance(statement, gast.Assign) or len(statement.targets) > 1:
        return None
    target = statement.targets[0]
    plain = isinstance(target, gast.Name) and is_number(kind_of(statement.value))
    return ("bound", target.id, []) if plain else None


def _assigns_own(statement: Any, loop: Any, kind_of: Callable[[Any], Kind]) -> bool:
    """Say whether a statement assigns an entry that no other trip of the loop has to do with."""
    if not isinstance(statement, gast.Assign) or len(statement.targets) > 1:
        return False
    target = statement.targets[0]
    if not isinstance(target, gast.Subscript) or not isinstance(target.value, gast.Name):
        return False
    own = getattr(target.slice, "id", "") == getattr(loop.target, "id", None)
    return own and is_number(kind_of(target))


def _is_pure(value: Any, kind_of: Callable[[Any], Kind]) -> bool:
    """Say whether an expression calculates a number of numbers and entries, and does nothing."""
    for node in walk(value):
        if isinstance(node, gast.Call):
            if getattr(getattr(node.func, "value", None), "id", "") not in _PURE:
                return False
            if not all(is_number(kind_of(item)) for item in node.args) or node.keywords:
                return False
        elif isinstance(node, gast.Name):
            known = is_number(kind_of(node)) or isinstance(kind_of(node), Array)
            if not known and node.id not in _PURE:
                return False
    return is_number(kind_of(value))


def _is_read_elsewhere(function: Any, name: str) -> bool:
    """Say whether a name is read outside of the loops that bind it."""
    inside = {
        id(node)
        for loop in found_in(function, gast.For)
        if getattr(loop.target, "id", "") == name
        for part in loop.body
        for node in found_in(part, gast.Name)
    }
    return any(
        node.id == name and isinstance(node.ctx, gast.Load) and id(node) not in inside
        for node in found_in(function, gast.Name)
    )
