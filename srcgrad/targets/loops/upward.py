"""Lets backward loops count upwards where no trip asks what another has done.

Compilers turn loops that count upwards into vector operations, and mostly leave others alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import gast

from srcgrad.ir.build import call
from srcgrad.ir.nodes import Comment
from srcgrad.ir.walk import found_in, walk
from srcgrad.targets.loops.aliases import Aliases
from srcgrad.targets.loops.exposed import loaded_in, stored_in
from srcgrad.targets.loops.kind import Array, Kind, is_number

_PURE: Final = frozenset({"np", "math"})


def count_upwards(function: Any, kind_of: Callable[[Any], Kind]) -> None:
    """Turn the innermost loops of a function that may as well run the other way.

    Such a loop does no more than to add to entries of arrays, and to numbers, none of which it
    reads otherwise: then sums are added up in another order, and nothing else differs.
    """
    loops = [node for node in found_in(function, gast.For) if getattr(node, "downward", None)]
    if not loops:
        return
    aliases = Aliases(function, kind_of)
    for loop in loops:
        name = getattr(loop.target, "id", "")
        if _only_adds(loop, kind_of, aliases) and not _is_read_elsewhere(function, name):
            loop.iter = call("range", *loop.downward)


def _only_adds(loop: Any, kind_of: Callable[[Any], Kind], aliases: Aliases) -> bool:
    added: set[str] = set()
    read: set[str] = set()
    bound: set[str] = set()
    for statement in loop.body:
        if isinstance(statement, Comment):
            continue
        if isinstance(statement, gast.AugAssign) and isinstance(statement.op, (gast.Add, gast.Sub)):
            target = statement.target
            if not is_number(kind_of(target)):
                return False
            if isinstance(target, gast.Subscript):
                if not isinstance(target.value, gast.Name):
                    return False
                read |= loaded_in([target.slice]) - bound
            added.add(getattr(target, "value", target).id)
        elif isinstance(statement, gast.Assign) and isinstance(statement.targets[0], gast.Name):
            if len(statement.targets) > 1 or not is_number(kind_of(statement.value)):
                return False
        else:
            return False
        if not _is_pure(statement.value, kind_of):
            return False
        read |= loaded_in([statement.value]) - bound
        if isinstance(statement, gast.Assign):
            bound |= stored_in(statement.targets)
    if loop.orelse or bound & (read | added):
        return False
    return not any(one == other or aliases.may_meet(one, other) for one in added for other in read)


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
