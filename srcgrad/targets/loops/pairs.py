"""Reads a loop that holds one other loop: what stands where, and what entries are met."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from srcgrad.analyses.affine import Affine, number
from srcgrad.ir import gast
from srcgrad.ir.build import load
from srcgrad.ir.nodes import Comment
from srcgrad.ir.walk import found_in, walk
from srcgrad.targets.loops.exposed import loaded_in, stored_in
from srcgrad.targets.loops.kind import Array, Kind, is_number
from srcgrad.targets.loops.reserving import counts, ends_of, trips_of
from srcgrad.targets.loops.vector import PREFIX

BEFORE, INNER, BEHIND = range(3)
_PURE: Final = frozenset({"np", "math"})


@dataclass(frozen=True, slots=True)
class Access:
    """An entry of an array, or of a part of it, that a statement reads or writes.

    Attributes:
        array: The name of the array; of a part, of what it is a part.
        index: The index of each axis.
        part: Whether it stands before the inner loop, in it, or behind it.
        is_written: Whether it is written, also if it is read before.
        adder: The statement that does no more than to add to it.
    """

    array: str
    index: tuple[Any, ...]
    part: int
    is_written: bool = False
    adder: Any = None


@dataclass(slots=True)
class Pair:
    """An outer loop, the one loop in it, and what stands around that.

    Attributes:
        outer: The outer loop, which counts from zero, or down to it.
        trips: How often it runs.
        inner: The inner loop, whose range does not depend on the outer one.
        views: The parts of arrays that the outer loop names, before the inner one.
        guards: What raises where lengths differ, before the inner one.
        parts: What else is run before the inner loop, in it, and behind it.
    """

    outer: Any
    trips: Affine
    inner: Any
    views: dict[str, Any] = field(default_factory=dict)
    guards: list[Any] = field(default_factory=list)
    parts: tuple[list[Any], list[Any], list[Any]] = field(default_factory=lambda: ([], [], []))

    @property
    def counter(self) -> str:
        """What the outer loop counts with."""
        return str(self.outer.target.id)

    def statements(self) -> Iterator[tuple[int, Any]]:
        """Yield what is run, with the part in which it stands."""
        for place, part in enumerate(self.parts):
            yield from ((place, item) for item in part if not isinstance(item, Comment))

    def accesses(self) -> Iterator[Access]:
        """Yield the entries of arrays that are met."""
        for place, statement in self.statements():
            targets = (
                statement.targets if isinstance(statement, gast.Assign) else [statement.target]
            )
            is_sum = isinstance(statement, gast.AugAssign) and isinstance(
                statement.op, (gast.Add, gast.Sub)
            )
            for target in targets:
                if isinstance(target, gast.Subscript):
                    array, index = self._entry(target)
                    yield Access(array, index, place, True, statement if is_sum else None)
            parts = [statement.value, *(x.slice for x in targets if isinstance(x, gast.Subscript))]
            for node in (node for part in parts for node in found_in(part, gast.Subscript)):
                yield Access(*self._entry(node), place)

    def _entry(self, node: Any) -> tuple[str, tuple[Any, ...]]:
        """Return the array of an entry, and its index; that of a part goes where it has slices."""
        index, view = list(items_of(node.slice)), self.views.get(node.value.id)
        if view is None:
            return node.value.id, tuple(index)
        whole = [
            index.pop(0) if isinstance(x, gast.Slice) and index else x for x in items_of(view.slice)
        ]
        return view.value.id, (*whole, *index)


def pair_of(outer: Any, kind_of: Callable[[Any], Kind]) -> Pair | None:
    """Return a loop that holds one loop and plain statements with numbers; None for others."""
    loops = [item for item in outer.body if isinstance(item, gast.For)]
    if len(loops) != 1 or not (_is_plain(outer) and _is_plain(loops[0])):
        return None
    trips = trips_of(outer, kind_of)
    if trips is None or not _counts_from_zero(outer, kind_of):
        return None
    pair, place = Pair(outer, trips, loops[0]), BEFORE
    for item in outer.body:
        if item is pair.inner:
            place = BEHIND
            pair.parts[INNER].extend(item.body)
        elif place == BEFORE and _is_view(item, kind_of):
            pair.views[item.targets[0].id] = item.value
        elif place == BEFORE and _raises(item):
            pair.guards.append(item)
        else:
            pair.parts[place].append(item)
    are_plain = _are_plain(pair, kind_of)
    return pair if are_plain and _stands_still(pair, stored_in([outer])) else None


def items_of(index: Any) -> list[Any]:
    """Return the index of each axis."""
    return list(index.elts) if isinstance(index, gast.Tuple) else [index]


def _target_of(statement: Any) -> Any:
    return statement.targets[0] if isinstance(statement, gast.Assign) else statement.target


def _is_plain(loop: Any) -> bool:
    return counts(loop) and isinstance(loop.target, gast.Name) and not loop.orelse


def _counts_from_zero(loop: Any, kind_of: Callable[[Any], Kind]) -> bool:
    """Say whether a loop takes all numbers from zero on, in one direction or the other."""
    first, last, step = ends_of(loop, kind_of)
    return last == number(-1) if step == number(-1) else first == number(0)


def _is_view(item: Any, kind_of: Callable[[Any], Kind]) -> bool:
    """Say whether a statement names a part of an array."""
    if not isinstance(item, gast.Assign) or not isinstance(item.targets[0], gast.Name):
        return False
    value = item.value
    if not isinstance(value, gast.Subscript) or not isinstance(value.value, gast.Name):
        return False
    has_slices = any(isinstance(x, gast.Slice) for x in items_of(value.slice))
    return has_slices and isinstance(kind_of(value.value), Array)


def _raises(item: Any) -> bool:
    return isinstance(item, gast.If) and not item.orelse and isinstance(item.body[0], gast.Raise)


def _are_plain(pair: Pair, kind_of: Callable[[Any], Kind]) -> bool:
    """Say whether statements bind numbers, or write entries, and do nothing else."""
    down = pair.inner.target.id
    bound = {pair.counter, down}
    for place, statement in pair.statements():
        if not isinstance(statement, (gast.Assign, gast.AugAssign)):
            return False
        if stored_in([statement]) & {pair.counter, down}:
            return False
        if place != INNER and down in loaded_in([statement]):
            return False
        if not _is_of_numbers(statement, kind_of, bound):
            return False
        bound |= stored_in([statement])
    return True


def _is_of_numbers(statement: Any, kind_of: Callable[[Any], Kind], bound: set[str]) -> bool:
    parts = [_target_of(statement), statement.value]
    if len(getattr(statement, "targets", parts[:1])) != 1:
        return False
    others = {*bound, *_PURE}  # names that need not be numbers of the function
    for node in (node for part in parts for node in walk(part)):
        if isinstance(node, gast.Subscript):
            kind = kind_of(node.value)
            if not isinstance(node.value, gast.Name) or not isinstance(kind, Array):
                return False
            if found_in(node.slice, gast.Slice) or len(items_of(node.slice)) != kind.ndim:
                return False
            others.add(node.value.id)
        elif isinstance(node, gast.Call):
            name = getattr(node.func, "id", "")
            if not name.startswith(PREFIX) and _owner(node.func) not in _PURE:
                return False
            others.add(name)
    names = loaded_in(parts) - others
    return all(is_number(kind_of(load(name))) for name in names)


def _owner(function: Any) -> str:
    return str(getattr(getattr(function, "value", None), "id", ""))


def _stands_still(pair: Pair, stored: set[str]) -> bool:
    """Say whether parts, guards and the inner range are the same in each trip of the outer loop.

    A part may be the row, or the column, of the trip.
    """
    written = [name for item in pair.outer.body for name in stored_in([item])]
    for name, view in pair.views.items():
        items = items_of(view.slice)
        others = [item for item in items if getattr(item, "id", "") != pair.counter]
        if len(others) < len(items) - 1 or loaded_in(others) & stored:
            return False
        if view.value.id in stored or written.count(name) > 1:
            return False
    tests = [item.test for item in pair.guards]
    return not loaded_in([*tests, pair.inner.iter]) & (stored - pair.views.keys())
