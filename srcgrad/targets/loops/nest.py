"""Holds nested loops over the entries of arrays, and says which may share their loops."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from srcgrad.codegen.printer import to_source
from srcgrad.ir import gast
from srcgrad.ir.build import assign, call, clone, constant, dotted, load, store
from srcgrad.ir.nodes import Comment
from srcgrad.ir.walk import found_in
from srcgrad.targets.loops.entries import is_view
from srcgrad.targets.loops.vector import PREFIX
from srcgrad.targets.loops.words import TYPES

DIFFER: Final = "LengthsDifferError"
PARALLEL: Final = "prange"
MayMeet = Callable[[str, str], bool]


@dataclass(slots=True)
class Nest:
    """Loops over the entries of arrays, and what stands around them.

    Attributes:
        before: Numbers that it adds to, at their start.
        buffers: The arrays that it makes, with the kinds of their numbers.
        zeros: The arrays that it adds to, from zeros: the kinds of their numbers, and for each axis
            the one of the nest that it is; None for one of length one.
        lengths: For each axis, the lengths that have to agree, by their text.
        hints: For each axis, slices along it, of which the same are likely of the same length.
        groups: What it does with each entry; of several, each with a whole row before the next.
        after: What binds the names of the arrays that it has made.
        reads, writes: The entries of arrays that it reads and writes: name and index.
        adds: Those among the written that it does no more than add to.
        names: The names of numbers that it reads.
        hoisted: The names of what it reads before its loops.
        viewed: The names of arrays that it takes parts of before its loops.
        sums: The names of numbers, and of arrays of sums, that it adds to.
        bound: The names of the arrays that it makes, with those they have inside.
    """

    before: list[Any] = field(default_factory=list)
    buffers: dict[str, str] = field(default_factory=dict)
    zeros: dict[str, tuple[str, tuple[int | None, ...]]] = field(default_factory=dict)
    lengths: list[dict[str, Any]] = field(default_factory=list)
    hints: list[set[str]] = field(default_factory=list)
    groups: list[list[Any]] = field(default_factory=list)
    after: list[Any] = field(default_factory=list)
    reads: set[tuple[str, str]] = field(default_factory=set)
    writes: set[tuple[str, str]] = field(default_factory=set)
    adds: set[tuple[str, str]] = field(default_factory=set)
    names: set[str] = field(default_factory=set)
    hoisted: set[str] = field(default_factory=set)
    viewed: set[str] = field(default_factory=set)
    sums: set[str] = field(default_factory=set)
    bound: dict[str, str] = field(default_factory=dict)


def way_to_share(first: Nest, second: Nest, may_meet: MayMeet) -> str | None:
    """Return how the second of two nests may do its work in the loops of the first; None for not.

    It may do so entry by entry ("entries"), or after each row of the first ("rows") where both do
    no more than add to entries of one array.
    """
    if len(first.lengths) != len(second.lengths) or set(second.bound) & set(first.bound):
        return None
    known = [set(found) for found in first.lengths]
    for name, buffer in first.bound.items():
        for axis, found in enumerate(known):
            found |= {f"{name}.shape[{axis}]", f"{buffer}.shape[{axis}]"}
    shared = list(zip(first.hints, second.hints, strict=True))
    for own, lengths, (one, other) in zip(known, second.lengths, shared, strict=True):
        later = [t for t in lengths if t not in own and t.startswith(_shapes(first.bound))]
        if later or not (own & set(lengths) or one & other):
            return None
    if _names_of(second) & first.sums or _names_of(first) & second.sums:
        return None
    if second.viewed & set(first.bound) or _is_changed(second.hoisted, first, may_meet):
        return None
    return _way_of_entries(first, second, may_meet)


def _is_changed(names: Iterable[str], nest: Nest, may_meet: MayMeet) -> bool:
    """Say whether a nest binds a name, or writes into the memory that one reaches."""
    made = nest.sums | set(nest.bound)
    written = {name for name, _ in nest.writes}
    return any(name in made or any(may_meet(name, other) for other in written) for name in names)


def _names_of(nest: Nest) -> set[str]:
    """Return the names of what a nest reads while it runs, or before."""
    return nest.names | nest.hoisted | nest.viewed | {name for name, _ in nest.reads}


def set_aside(
    first: Nest, second: Nest, between: Sequence[Any], may_meet: MayMeet
) -> tuple[list[Any], list[Any]] | None:
    """Return which statements between two nests may come before both, and which behind both.

    None if that cannot be said of each. They bind names to numbers and to parts of arrays.
    """
    before: list[Any] = []
    behind: list[Any] = []
    for statement in between:
        if _is_apart(statement, second, may_meet):
            behind.append(statement)
            continue
        names, stored = _names_in(statement)
        later = [_names_in(item) for item in behind if not isinstance(item, Comment)]
        crosses = any(stored & found or names & others for found, others in later)
        touched = first.names | first.sums | first.hoisted | first.viewed | set(first.bound)
        touched |= {name for name, _ in first.reads | first.writes}
        if crosses or stored & touched or _is_changed(names - {"np", "math"}, first, may_meet):
            return None
        before.append(statement)
    return before, behind


def _names_in(statement: Any) -> tuple[set[str], set[str]]:
    """Return the names in a statement, and those that it binds."""
    found = found_in(statement, gast.Name)
    stored = {item.id for item in found if isinstance(item.ctx, gast.Store)}
    return {item.id for item in found}, stored


def _is_apart(statement: Any, nest: Nest, may_meet: MayMeet) -> bool:
    """Say whether a statement before a nest, which binds a name, may as well follow it."""
    if isinstance(statement, Comment):
        return True
    names, stored = _names_in(statement)
    touched = {name for name, _ in nest.reads | nest.writes}
    touched |= nest.names | nest.sums | nest.hoisted | nest.viewed | set(nest.bound)
    if is_view(statement.value):  # which reads nothing
        return not stored & touched and not names & set(nest.bound)
    return not stored & touched and not _is_changed(names - {"np", "math"}, nest, may_meet)


def _way_of_entries(first: Nest, second: Nest, may_meet: MayMeet) -> str | None:
    """Return how nests may share by the entries that they write, which others may read."""
    reads, writes = _renamed(second.reads, first), _renamed(second.writes, first)
    added, adds = first.adds - first.reads, _renamed(second.adds, first) - reads
    way = "entries"
    for written, own, others, theirs in (
        (first.writes, added, reads | writes, adds),
        (writes, adds, first.reads | first.writes, added),
    ):
        for entry in written:
            for other in others:
                if entry == other or not may_meet(entry[0], other[0]):
                    continue
                if entry[0] == other[0] and goes_along(entry[1], other[1]):
                    continue
                if entry[0] != other[0] or entry not in own or other not in theirs:
                    return None
                if len(first.lengths) < 2:
                    return None
                way = "rows"
    return way


def goes_along(one: str, other: str) -> bool:
    """Say whether two entries of an array lie at the same place along each axis of the loops.

    What meets then does so in one trip, in which the order of the statements is kept.
    """
    pairs = list(zip(one.split(", "), other.split(", "), strict=False))
    return one.count(",") == other.count(",") and all(
        left == right or not (left + right).count("_") for left, right in pairs
    )


def share(first: Nest, second: Nest, way: str) -> None:
    """Let the second of two nests do its work in the loops of the first."""
    body = second.groups[0]
    renamed = {**first.bound, **_repeated(first, second)}
    for statement in body:
        _renamed_in(statement, renamed)
    fresh = {
        f"{name}.shape[{axis}]"
        for pair in first.bound.items()
        for name in pair
        for axis in range(len(first.lengths))
    }
    for own, found in zip(first.lengths, second.lengths, strict=True):
        for text, node in found.items():
            if text not in fresh:
                own.setdefault(text, _renamed_in(node, renamed))
    for hints, more in zip(first.hints, second.hints, strict=True):
        hints.update(more)
    first.before += second.before
    first.buffers |= second.buffers
    first.zeros |= second.zeros
    if way == "rows":
        first.groups.append(body)
    else:
        first.groups[-1] += body
    first.after += second.after
    first.reads |= _renamed(second.reads, first)
    first.writes |= _renamed(second.writes, first)
    first.adds |= second.adds
    first.names |= second.names
    first.hoisted |= second.hoisted
    first.viewed |= second.viewed
    first.sums |= second.sums
    first.bound |= second.bound


def _renamed_in(node: Any, names: Mapping[str, str]) -> Any:
    for item in found_in(node, gast.Name):
        item.id = names.get(item.id, item.id)
    return node


def _repeated(first: Nest, second: Nest) -> dict[str, str]:
    """Drop what the second of two nests finds before its loops as the first does.

    Returns the names that it has in the first, by those in the second.
    """
    known = {to_source(item.value): item.targets[0].id for item in first.before if _is_found(item)}
    again = {
        item.targets[0].id: known[to_source(item.value)]
        for item in second.before
        if _is_found(item) and to_source(item.value) in known
    }
    second.before = [item for item in second.before if item.targets[0].id not in again]
    return again


def _is_found(statement: Any) -> bool:
    return not isinstance(statement.value, gast.Constant)  # where a sum begins


def shown(
    nest: Nest, indices: Sequence[str], *, parallel: bool = False
) -> tuple[list[Any], list[str]]:
    """Return the statements of a nest, and what they call of ours or of Numba's."""
    checks = _checks(nest)
    sizes = [next(iter(found.values())) for found in nest.lengths]
    makes = [assign(name, _new("empty", sizes, dtype)) for name, dtype in nest.buffers.items()]
    for name, (dtype, axes) in nest.zeros.items():
        own = [constant(1) if axis is None else sizes[axis] for axis in axes]
        makes.append(assign(name, _new("zeros", own, dtype)))
    *outer, (last, length) = zip(indices, sizes, strict=True)
    rows = [gast.For(store(last), call("range", length), group, [], None) for group in nest.groups]
    for name, size in reversed(outer):
        rows = [gast.For(store(name), call("range", size), rows, [], None)]
    shares = parallel and len(rows) == 1 and _is_apart_by(nest, indices[0])
    if shares:
        rows[0].iter.func.id = PARALLEL
    line = getattr(nest.groups[0][0], "lineno", None)
    done = [*nest.before, *checks, *makes, *rows, *nest.after]
    for item in done:
        if getattr(item, "lineno", None) is None:
            item.lineno = line
    return done, [*([DIFFER] if checks else []), *([PARALLEL] if shares else [])]


def _checks(nest: Nest) -> list[Any]:
    """Return the statement that raises unless the lengths along each axis agree.

    It is written out: as a call, it would keep Numba from leaving out counts of references.
    """
    tests = [
        gast.Compare(clone(one), [gast.NotEq()], [other])
        for one, *others in (found.values() for found in nest.lengths)
        for other in others
    ]
    if not tests:
        return []
    test = tests[0] if len(tests) == 1 else gast.BoolOp(gast.Or(), tests)
    return [gast.If(test, [gast.Raise(load(DIFFER), None)], [])]


def call_vectors(nest: Nest, names: Collection[str]) -> set[str]:
    """Let a nest call functions that compute several entries at a time; return their names."""
    used: set[str] = set()
    for statement in [step for group in nest.groups for step in group]:
        for node in found_in(statement, gast.Call):
            name = PREFIX + getattr(node.func, "attr", "")
            if name in names and not node.keywords:
                used.add(name)
                node.func = load(name)
    return used


def _is_apart_by(nest: Nest, index: str) -> bool:
    """Say whether each trip of the outer loop writes into entries that no other trip touches."""
    written = {name for name, _ in nest.writes}
    if any(index not in re.findall(r"\w+", place) for _, place in nest.writes):
        return False
    places: dict[str, set[str]] = {}
    for name, place in nest.writes | nest.reads | nest.adds:
        if name in written:
            places.setdefault(name, set()).add(place)
    return all(len(found) == 1 for found in places.values())


def _shapes(bound: dict[str, str]) -> tuple[str, ...]:
    return tuple(f"{name}.shape" for pair in bound.items() for name in pair)


def _renamed(entries: set[tuple[str, str]], nest: Nest) -> set[tuple[str, str]]:
    """Return entries by the names that arrays have inside of a nest that makes them."""
    return {(nest.bound.get(name, name), place) for name, place in entries}


def _new(maker: str, sizes: Sequence[Any], dtype: str) -> Any:
    shape = sizes[0] if len(sizes) == 1 else gast.Tuple(list(sizes), gast.Load())
    if dtype == "float64":
        return call(f"np.{maker}", shape)
    return call(f"np.{maker}", shape, dotted(f"np.{TYPES.get(dtype, dtype)}"))
