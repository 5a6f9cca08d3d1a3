"""Says which lists and dicts need adjoints that mirror which of them hold which others.

Where several names reach one list or dict whose entries are replaced, but no array in it is written
into, the containers alone get shadows. Their entries are adjoints by value, as of any other list.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from srcgrad.analyses.filled import are_read_by_entries, is_filled_first, is_read_by_entries
from srcgrad.analyses.points_to import PointsTo
from srcgrad.analyses.shadowed import Maker, Shadowed
from srcgrad.ir import gast
from srcgrad.ir.changes import change_of
from srcgrad.ir.displays import copied_from, spread_in
from srcgrad.ir.marks import UPDATES_ENTRY
from srcgrad.ir.program import Program, is_store, store_target
from srcgrad.ir.walk import names_bound, statements


def container_shadows(
    program: Program, writes: Iterable[tuple[Any, str]], is_number: Callable[[Any], bool]
) -> Shadowed | None:
    """Return the shadows of what some statements write into, under some names.

    That is None if one of them may be another thing than a list or dict of the program, or if it is
    not known where that is read. Of an update, ``p["x"] += v``, the entry must be a number.
    """
    found = program.once(PointsTo)
    if not found.displays:
        return None
    names = set()
    for statement, name in writes:
        if not found.is_container(name):
            return None
        if not _replaces(statement) and not _counts(statement, found, is_number):
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


def _counts(statement: Any, found: PointsTo, is_number: Callable[[Any], bool]) -> bool:
    """Say whether a statement updates an entry that is a number: no write into what is held."""
    if not is_store(statement):
        return False
    place = store_target(statement)
    held = [v for item in found.of(place.value.id) for v in found.held(item, place.slice)]
    return is_number(statement.value) and bool(held) and all(map(is_number, held))


def _mirrored(program: Program, found: PointsTo, bound: list[str]) -> Shadowed | None:
    mirror = Shadowed(names=set(bound), entries=set(bound))
    mirror.links = _links(found, bound)
    grown: set[int] = set()  # displays into which containers are put: their shadows stay there
    for statement in statements(program.body):
        change = change_of(statement)
        if change is not None:
            moved = [change.value] if change.method != "pop" else _held(found, change.name)
            if any(map(found.is_inner, moved)):
                grown |= found.of(change.name)
                if not all(map(found.is_inner, moved)):
                    return None  # the adjoint of one would have to be put back, that of another not
        elif is_store(statement):
            name = getattr(store_target(statement).value, "id", "")
            if name in mirror.names and found.is_inner(statement.value):
                if not _replaces_containers(statement, found):
                    return None  # the adjoint of the array before would have to be put back
                grown |= found.of(name)
                mirror.put.add(id(statement))
            elif name in mirror.names and not isinstance(statement, gast.AugAssign):
                mirror.replaced[id(statement)] = _kind(found, name)
    if not _note_makers(program, found, mirror):
        return None
    changed = (name for name in bound if not grown.isdisjoint(found.of(name)))
    mirror.changing = {name for name in changed if not is_filled_first(program, name, mirror.put)}
    by_entries = all(is_read_by_entries(program, name, mirror.put) for name in mirror.changing)
    read = by_entries or are_read_by_entries(program, set(bound), mirror.put)
    return mirror if read else None


def _note_makers(program: Program, found: PointsTo, mirror: Shadowed) -> bool:
    """Note how each name with a shadow is bound; say whether that is known."""
    for statement in statements(program.body):
        if not isinstance(statement, gast.Assign) or is_store(statement):
            continue
        targets = [n for target in statement.targets for n in names_bound(target)]
        if mirror.names.isdisjoint(targets):
            continue
        maker = "view" if change_of(statement) is not None else _maker(statement, found)
        if maker in ("display", "view") and _takes_entries(statement, found):
            return False  # some would be added to those of another, some shared with it
        mirror.makers[id(statement)] = maker
    return True


def _links(found: PointsTo, bound: list[str]) -> list[tuple[str, str]]:
    """Return pairs of names of which one is bound to, or holds, what the other is bound to."""
    links: list[tuple[str, str]] = []
    first: dict[int, str] = {}  # of the names of each display
    for name in bound:
        others = (first.setdefault(display, name) for display in found.of(name))
        links += [(name, other) for other in others if other != name]
    for display, name in first.items():
        held = (inner for value in found.held(display) for inner in found.inner(value))
        links += [(name, first[inner]) for inner in held if inner in first]
    return links


def _kind(found: PointsTo, name: str) -> str:
    """Return whether a name is bound to dicts, or to lists."""
    return "dict" if isinstance(found.displays[min(found.of(name))], gast.Dict) else "list"


def _replaces_containers(statement: Any, found: PointsTo) -> bool:
    """Say whether a store can put a container into the place of nothing but containers, or None."""
    target = store_target(statement)
    before = [v for item in found.of(target.value.id) for v in found.held(item, target.slice)]
    return all(found.is_inner(value) or found.is_nothing(value) for value in before)


def _takes_entries(statement: Any, found: PointsTo) -> bool:
    """Say whether a display, or copy, takes entries that are no containers from another one."""
    display = found.displays.get(id(statement))
    return display is not None and any(
        not found.is_inner(held)
        for source in spread_in(display)
        for held in _held(found, source.id)
    )


def _held(found: PointsTo, name: str) -> list[Any]:
    """Return what the lists and dicts that a name is bound to may hold."""
    return [held for display in found.of(name) for held in found.held(display)]


def _maker(statement: Any, found: PointsTo) -> Maker:
    """Say how a statement makes a container; one without others in it starts with zeros."""
    if id(statement) in found.whole:
        return "fresh"
    if id(statement) in found.displays:
        held = list(found.held(id(statement)))
        copies = copied_from(statement.value) is not None
        if any(map(found.is_inner, held)) or not held:
            return "view" if copies else "display"
        return "fresh"
    if isinstance(statement.value, gast.Constant):
        return "nothing"
    if isinstance(statement.value, gast.Call):
        return "fresh"  # a copy, with all that is in it
    if isinstance(statement.value, gast.Name):
        if not found.may_be_container(statement.value.id):
            return "nothing"
        return "copy" if isinstance(statement.targets[0], gast.Name) else "unpack"
    return "view"
