"""Knows the lists and dicts of others that a program may change as if it had made them."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Any, Final

from srcgrad.analyses.activity import varied_names
from srcgrad.analyses.other_names import is_seen_elsewhere
from srcgrad.ir import gast
from srcgrad.ir.changes import change_of
from srcgrad.ir.program import Program, bound_names, header_reads, is_store, store_target
from srcgrad.ir.walk import found_in, names_bound, names_read, statements

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
        outside = {name for name in outside if not is_seen_elsewhere(program, name)}
        outside -= _remembering(program, outside)
    fields = given.intersection(item.targets[0].id for item in program.reads)
    given -= _remembering(program, fields)  # an object lasts as what is outside does
    given -= set(program.inputs)  # a gradient has the entries that were there at the call
    return given | (outside - bound_names(program.body))


def _remembering(program: Program, names: set[str]) -> set[str]:
    """Return those of some dicts that keep what varies under keys that are made of such values.

    What an earlier call has kept there under the same key would be a constant.
    """
    varied = varied_names(program)
    lookup, known = program.reader.scope.lookup, program.given
    dicts = {n for n in names if known.get(n) == "dict" or type(lookup(n)) is dict}
    kept = {
        name
        for item in statements(program.body)
        if (name := _changed(item)) in dicts and not varied.isdisjoint(header_reads(item))
    }
    return kept and kept & _asked_by(program, set(varied))


def _asked_by(program: Program, made: set[str]) -> set[str]:
    """Return the names of what is asked for keys that are made of some values, in any way."""
    lines = [item for item in statements(program.body) if isinstance(item, gast.Assign)]
    size = -1
    while size != (size := len(made)):
        for line in lines:
            if not made.isdisjoint(names_read(line.value)):
                made.update(name for target in line.targets for name in names_bound(target))
    found: set[str] = set()
    for line in statements(program.body):
        for node in found_in(line, gast.Compare, gast.Subscript, gast.Call):
            holder, key = _lookup(node)
            if isinstance(holder, gast.Name) and not made.isdisjoint(names_read(key)):
                found.add(holder.id)
    return found


def _lookup(node: Any) -> tuple[Any, Any]:
    """Return what an expression looks something up in, and by which key."""
    if isinstance(node, gast.Compare):
        inside = isinstance(node.ops[0], (gast.In, gast.NotIn))
        return (node.comparators[0], node.left) if inside else (None, None)
    if isinstance(node, gast.Subscript):
        return node.value, node.slice
    method = node.func if isinstance(node.func, gast.Attribute) and node.args else None
    return (method.value, node.args[0]) if method is not None else (None, None)


def _changed(statement: Any) -> str | None:
    change = change_of(statement)
    if change is not None:
        return change.name
    if not is_store(statement):
        return None
    base = store_target(statement).value
    return base.id if isinstance(base, gast.Name) else None


def _is_outside(program: Program, name: str) -> bool:
    """Say whether a name means a list or dict."""
    return type(program.reader.scope.lookup(name)) in (list, dict)


def _reads_by_key(program: Program) -> dict[str, list[str]]:
    """Return the names that are bound to entries, each with what they are read from."""
    found: dict[str, list[str]] = defaultdict(list)
    for statement in statements(program.body):
        if (holder := _read_by_key(statement)) is not None:
            found[statement.targets[0].id].append(holder)
    return found


def _logs(program: Program, reads: dict[str, list[str]], ours: set[str]) -> set[str]:
    taken: set[str] = set()
    grown: set[str] = set()  # an entry may be what was put there, which has another name
    for statement in statements(program.body):
        change = change_of(statement)
        if change is not None and change.target is None and change.method != "pop":
            taken.update(names_read(change.value))
            grown.add(change.name)
        elif isinstance(statement, gast.For):
            taken.update((*header_reads(statement), *names_bound(statement.target)))
        elif _read_by_key(statement) is None or statement.targets[0].id not in reads:
            taken.update(header_reads(statement))
    return {
        name
        for name, holders in reads.items()
        if len(holders) == 1 and holders[0] in ours - grown and taken.isdisjoint((name, holders[0]))
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
