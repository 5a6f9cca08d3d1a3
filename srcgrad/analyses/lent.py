"""Knows the lists and dicts of others that a program may change as if it had made them."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Any, Final

import gast

from srcgrad.ir.changes import change_of
from srcgrad.ir.program import Program, bound_names, header_reads, is_store, store_target
from srcgrad.ir.reach import seen_elsewhere
from srcgrad.ir.walk import names_bound, names_read, statements

_KINDS = ("list", "dict")


@dataclass(frozen=True, slots=True)
class Lent:
    """Names by what a program may do to what they mean.

    Attributes:
        changed: The lists and dicts that it changes.
        logs: Names of lists read from others' lists and dicts, which are added to and no more:
            that of ``history["loss"].append(v)``, if nothing else is read from `history`.
        holders: The names of what these are read from.
    """

    changed: frozenset[str]
    logs: frozenset[str]
    holders: frozenset[str]


NOT_LENT: Final = Lent(frozenset(), frozenset(), frozenset())


def lent(program: Program) -> Lent:
    """Return the names of what a program changes and is a list or dict of the caller or the module.

    At each call it is seen to that none of them is reached under another name (`refuse_shared`).
    Of other functions that see those of the module it is known here.
    """
    changed = {name for item in statements(program.body) if (name := _changed(item)) is not None}
    if not changed:
        return NOT_LENT
    reads = _reads_by_key(program)
    holders = {holder for name in changed for holder in reads.get(name, ())}
    ours = _of_others(program, changed | holders)
    logs = _logs(program, {name: reads[name] for name in changed & reads.keys()}, ours)
    held = frozenset(reads[name][0] for name in logs)
    return Lent(frozenset(changed & ours), frozenset(logs), held)


def _of_others(program: Program, names: set[str]) -> set[str]:
    """Return those of some names that mean lists and dicts of the caller or of the module."""
    parameters = set(program.parameters)
    given = {name for name in names & parameters if program.given.get(name) in _KINDS}
    outside = {name for name in names - parameters if _is_outside(program, name)}
    if outside:
        outside -= seen_elsewhere(program.reader.scope.function)
    given -= set(program.inputs)  # a gradient has the entries that were there at the call
    return given | (outside - bound_names(program.body))


def _changed(statement: Any) -> str | None:
    change = change_of(statement)
    if change is not None:
        return change.name
    if not is_store(statement):
        return None
    base = store_target(statement).value
    return base.id if isinstance(base, gast.Name) else None


def _is_outside(program: Program, name: str) -> bool:
    """Say whether a name means a list or dict that no module which is named here has, too."""
    scope = program.reader.scope
    value = scope.lookup(name)
    others = [binding.value for binding in scope.dotted.values()]
    return type(value) in (list, dict) and not any(item is value for item in others)


def _reads_by_key(program: Program) -> dict[str, list[str]]:
    """Return the names that are bound to entries, each with what they are read from."""
    found: dict[str, list[str]] = defaultdict(list)
    for statement in statements(program.body):
        if (holder := _read_by_key(statement)) is not None:
            found[statement.targets[0].id].append(holder)
    return found


def _logs(program: Program, reads: dict[str, list[str]], ours: set[str]) -> set[str]:
    taken: set[str] = set()
    for statement in statements(program.body):
        change = change_of(statement)
        if change is not None and change.target is None and change.method != "pop":
            taken.update(names_read(change.value))
        elif isinstance(statement, gast.For):
            taken.update((*header_reads(statement), *names_bound(statement.target)))
        elif _read_by_key(statement) is None or statement.targets[0].id not in reads:
            taken.update(header_reads(statement))
    return {
        name
        for name, holders in reads.items()
        if len(holders) == 1 and holders[0] in ours and taken.isdisjoint((name, holders[0]))
    }


def _read_by_key(statement: Any) -> str | None:
    """Return the list or dict of which a statement reads an entry by a key that is no name."""
    if not isinstance(statement, gast.Assign) or is_store(statement):
        return None
    target, value = statement.targets[0], statement.value
    plain = isinstance(target, gast.Name) and isinstance(value, gast.Subscript)
    if not plain or not isinstance(value.value, gast.Name) or isinstance(value.slice, gast.Slice):
        return None
    return None if names_read(value.slice) else str(value.value.id)
