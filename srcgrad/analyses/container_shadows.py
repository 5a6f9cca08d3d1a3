"""Says which lists and dicts need adjoints that mirror which of them hold which others.

Where several names reach one list or dict whose entries are replaced, but no array in it is written
into, the containers alone get shadows. Their entries are adjoints by value, as of any other list.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from srcgrad.analyses.filled import is_filled_first, is_read_by_entries
from srcgrad.analyses.points_to import PointsTo
from srcgrad.analyses.shadowed import Maker, Shadowed
from srcgrad.ir import gast
from srcgrad.ir.changes import change_of
from srcgrad.ir.marks import UPDATES_ENTRY
from srcgrad.ir.program import Program, is_store, store_target
from srcgrad.ir.walk import names_bound, statements


def container_shadows(program: Program, writes: Iterable[tuple[Any, str]]) -> Shadowed | None:
    """Return the shadows of what some statements write into, under some names.

    That is None if one of them may be another thing than a list or dict of the program, or if it is
    not known where that is read.
    """
    found = program.once(PointsTo)
    if not found.displays:
        return None
    names = set()
    for statement, name in writes:
        if not found.is_container(name) or not _replaces(statement):
            return None
        names.add(name)
    displays = found.connected(names)
    if not displays.isdisjoint(found.escaped):
        return None
    bound = found.names_of(displays)
    if not all(map(found.is_container, bound)) or not all(map(found.has_one_kind, bound)):
        return None
    return _mirrored(program, found, bound)


def _replaces(statement: Any) -> bool:
    """Say whether a statement binds an entry of a container anew, or puts one in."""
    if change_of(statement) is not None:
        return True
    stores = isinstance(statement, gast.Assign) and is_store(statement)
    return stores and not UPDATES_ENTRY.of(statement)


def _mirrored(program: Program, found: PointsTo, bound: list[str]) -> Shadowed | None:
    mirror = Shadowed(names=set(bound), entries=set(bound))
    first: dict[int, str] = {}  # of the names of each display
    for name in bound:
        for display in found.of(name):
            if first.setdefault(display, name) != name:
                mirror.links.append((name, first[display]))
    for display, name in first.items():
        held = (getattr(value, "id", "") for value in found.held(display))
        mirror.links += [(name, other) for other in held if found.may_be_container(other)]
    grown: set[int] = set()  # by others that are put in: their shadows stay there
    for statement in statements(program.body):
        change = change_of(statement)
        if change is not None and found.is_inner(change.value):
            grown |= found.of(change.name)
        elif is_store(statement):
            name = getattr(store_target(statement).value, "id", "")
            if name in mirror.names and found.is_inner(statement.value):
                return None  # the shadow of the one before would have to be put back
            if name in mirror.names:
                mirror.replaced[id(statement)] = _kind(found, name)
        elif isinstance(statement, gast.Assign) and change is None:
            targets = [n for target in statement.targets for n in names_bound(target)]
            if not mirror.names.isdisjoint(targets):
                mirror.makers[id(statement)] = _maker(statement, found)
    changed = (name for name in bound if not grown.isdisjoint(found.of(name)))
    mirror.changing = {name for name in changed if not is_filled_first(program, name, set())}
    late = not all(is_read_by_entries(program, name, set()) for name in mirror.changing)
    return None if late else mirror


def _kind(found: PointsTo, name: str) -> str:
    """Return whether a name is bound to dicts, or to lists."""
    return "dict" if isinstance(found.displays[min(found.of(name))], gast.Dict) else "list"


def _maker(statement: Any, found: PointsTo) -> Maker:
    """Say how a statement makes a container; one without others in it starts with zeros."""
    if id(statement) in found.displays:
        value = statement.value
        items = value.values if isinstance(value, gast.Dict) else value.elts
        holds = any(map(found.is_inner, items))
        return "display" if holds or not items else "fresh"
    if isinstance(statement.value, gast.Constant):
        return "nothing"
    if isinstance(statement.value, gast.Name):
        if not found.may_be_container(statement.value.id):
            return "nothing"
        return "copy" if isinstance(statement.targets[0], gast.Name) else "unpack"
    return "view"
