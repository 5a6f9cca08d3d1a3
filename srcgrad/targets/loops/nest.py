"""Holds nested loops over the entries of arrays, and says which may share their loops."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import gast

from srcgrad.ir.build import assign, call, dotted, store
from srcgrad.ir.nodes import Comment
from srcgrad.ir.walk import found_in
from srcgrad.targets.loops.words import TYPES

CHECK: Final = "same_length"
PARALLEL: Final = "prange"
MayMeet = Callable[[str, str], bool]


@dataclass(slots=True)
class Nest:
    """Loops over the entries of arrays, and what stands around them.

    Attributes:
        before: Numbers that it adds to, at their start.
        buffers: The arrays that it makes, with the kinds of their numbers.
        lengths: For each axis, the lengths that have to agree, by their text.
        groups: What it does with each entry; of several, each with a whole row before the next.
        after: What binds the names of the arrays that it has made.
        reads, writes: The entries of arrays that it reads and writes: name and index.
        adds: Those among the written that it does no more than add to.
        names: The names of numbers that it reads.
        sums: The names of numbers that it adds to.
        bound: The names of the arrays that it makes, with those they have inside.
    """

    before: list[Any] = field(default_factory=list)
    buffers: dict[str, str] = field(default_factory=dict)
    lengths: list[dict[str, Any]] = field(default_factory=list)
    groups: list[list[Any]] = field(default_factory=list)
    after: list[Any] = field(default_factory=list)
    reads: set[tuple[str, str]] = field(default_factory=set)
    writes: set[tuple[str, str]] = field(default_factory=set)
    adds: set[tuple[str, str]] = field(default_factory=set)
    names: set[str] = field(default_factory=set)
    sums: set[str] = field(default_factory=set)
    bound: dict[str, str] = field(default_factory=dict)


def way_to_share(
    first: Nest, second: Nest, between: Iterable[Any], may_meet: MayMeet
) -> str | None:
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
    for own, lengths in zip(known, second.lengths, strict=True):
        later = [t for t in lengths if t not in own and t.startswith(_shapes(first.bound))]
        if later or not own & set(lengths):
            return None
    if second.names & first.sums or first.names & second.sums:
        return None
    if not all(_is_apart(statement, second) for statement in between):
        return None
    return _way_of_entries(first, second, may_meet)


def _is_apart(statement: Any, nest: Nest) -> bool:
    """Say whether a statement before a nest, which binds a number, may as well follow it."""
    if isinstance(statement, Comment):
        return True
    found = found_in(statement, gast.Name)
    stored = {item.id for item in found if isinstance(item.ctx, gast.Store)}
    made = {name for name, _ in nest.writes} | set(nest.bound) | nest.sums
    touched = nest.names | nest.sums | {name for name, _ in nest.reads} | set(nest.bound)
    return not stored & touched and not {item.id for item in found} & made


def _way_of_entries(first: Nest, second: Nest, may_meet: MayMeet) -> str | None:
    """Return how nests may share by the entries that they write, which others may read."""
    reads, writes = _renamed(second.reads, first), _renamed(second.writes, first)
    way = "entries"
    for written, others in ((first.writes, reads | writes), (writes, first.reads | first.writes)):
        for entry in written:
            for other in others:
                if entry == other or not may_meet(entry[0], other[0]):
                    continue
                added = {entry, other} <= (first.adds | second.adds) and entry[0] == other[0]
                if not added:
                    return None
                if _goes_along(entry[1], other[1]):
                    continue  # whichever is added first
                if len(first.lengths) < 2:
                    return None
                way = "rows"
    return way


def _goes_along(one: str, other: str) -> bool:
    """Say whether two entries lie at the same place along each axis that the loops go along."""
    pairs = list(zip(one.split(", "), other.split(", "), strict=False))
    return one.count(",") == other.count(",") and all(
        left == right or not (left + right).count("_") for left, right in pairs
    )


def share(first: Nest, second: Nest, way: str) -> None:
    """Let the second of two nests do its work in the loops of the first."""
    body = second.groups[0]
    for statement in body:
        for node in found_in(statement, gast.Name):
            node.id = first.bound.get(node.id, node.id)
    fresh = {
        f"{name}.shape[{axis}]"
        for pair in first.bound.items()
        for name in pair
        for axis in range(len(first.lengths))
    }
    for own, found in zip(first.lengths, second.lengths, strict=True):
        own.update({text: node for text, node in found.items() if text not in fresh})
    first.before += second.before
    first.buffers |= second.buffers
    if way == "rows":
        first.groups.append(body)
    else:
        first.groups[-1] += body
    first.after += second.after
    first.reads |= _renamed(second.reads, first)
    first.writes |= _renamed(second.writes, first)
    first.adds |= second.adds
    first.names |= second.names
    first.sums |= second.sums
    first.bound |= second.bound


def shown(
    nest: Nest, indices: Sequence[str], *, parallel: bool = False
) -> tuple[list[Any], list[str]]:
    """Return the statements of a nest, and what they call of ours or of Numba's."""
    checks = []
    for found in nest.lengths:
        one, *others = found.values()
        checks += [gast.Expr(call(CHECK, one, other)) for other in others]
    sizes = [next(iter(found.values())) for found in nest.lengths]
    makes = [assign(name, _empty(sizes, dtype)) for name, dtype in nest.buffers.items()]
    *outer, (last, length) = zip(indices, sizes, strict=True)
    rows = [gast.For(store(last), call("range", length), group, [], None) for group in nest.groups]
    for name, size in reversed(outer):
        rows = [gast.For(store(name), call("range", size), rows, [], None)]
    shares = parallel and len(rows) == 1 and _is_apart_by(nest, indices[0])
    if shares:
        rows[0].iter.func.id = PARALLEL
    line = getattr(nest.groups[0][0], "lineno", None)
    done = [*checks, *nest.before, *makes, *rows, *nest.after]
    for item in done:
        if getattr(item, "lineno", None) is None:
            item.lineno = line
    return done, [*([CHECK] if checks else []), *([PARALLEL] if shares else [])]


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


def _empty(sizes: Sequence[Any], dtype: str) -> Any:
    shape = sizes[0] if len(sizes) == 1 else gast.Tuple(list(sizes), gast.Load())
    if dtype == "float64":
        return call("np.empty", shape)
    return call("np.empty", shape, dotted(f"np.{TYPES.get(dtype, dtype)}"))
