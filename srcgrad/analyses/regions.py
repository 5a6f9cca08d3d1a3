"""The elements of an array that an index names, as intervals between sums of whole variables."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from srcgrad.analyses.affine import Affine, affine_of, can_hold, number, variable
from srcgrad.ir import gast

Names = Callable[[str], Affine | None]


@dataclass(frozen=True, slots=True)
class Interval:
    """The places of one axis from `first` to `last`, both of them included."""

    first: Affine
    last: Affine


@dataclass(frozen=True, slots=True)
class Region:
    """A block of elements; `sums` are not negative where the index means this block.

    Of the axes beyond the intervals it takes everything.
    """

    intervals: tuple[Interval, ...]
    sums: tuple[Affine, ...]

    def renamed(self, new: Callable[[str], str]) -> Region:
        """Return the same block in other variables."""
        intervals = [Interval(i.first.renamed(new), i.last.renamed(new)) for i in self.intervals]
        return Region(tuple(intervals), tuple(item.renamed(new) for item in self.sums))


EVERYTHING = Region((), ())


def regions(array: str, index: Any, names: Names, around: Sequence[Affine]) -> list[Region]:
    """Return the blocks of which an index into an array names one.

    An index below zero counts from the end, and where the sums `around` do not say which it is,
    there are two blocks. What is not understood is everything.

    >>> index = gast.parse("y[i - 1, :i]", mode="eval").body.slice
    >>> i = variable("i")
    >>> len(regions("y", index, variable, [i])), len(regions("y", index, variable, [i - number(1)]))
    (2, 1)
    """
    parts = list(index.elts) if isinstance(index, gast.Tuple) else [index]
    axes: list[list[tuple[Interval, list[Affine]]]] = []
    for axis, part in enumerate(parts):
        length = variable(f"{array}.shape[{axis}]")
        found = list(_intervals(part, length, names, around))
        if not found:
            break
        axes.append(found)
    blocks = []
    for chosen in itertools.islice(itertools.product(*axes), 17):
        sums = [item for _, items in chosen for item in items]
        blocks.append(Region(tuple(interval for interval, _ in chosen), tuple(sums)))
    return blocks if len(blocks) <= 16 else [EVERYTHING]


def _intervals(
    part: Any, length: Affine, names: Names, around: Sequence[Affine]
) -> Iterator[tuple[Interval, list[Affine]]]:
    """Yield what one part of an index may mean, with the sums that tell; nothing if unknown."""
    last = length - number(1)
    if isinstance(part, gast.Slice):
        step = getattr(part.step, "value", None)
        if part.step is not None and (type(step) is not int or step < 1):
            yield Interval(number(0), last), [length]
            return
        low = list(_places(part.lower, number(0), length, names, around))
        high = list(_places(part.upper, length, length, names, around))
        for (first, first_sums), (end, end_sums) in itertools.product(low, high):
            yield Interval(first, end - number(1)), [*first_sums, *end_sums, length]
        return
    place = affine_of(part, names)
    if place is None:
        return
    for value, sums in _from_start(place, length, around):
        yield Interval(value, value), [*sums, value, last - value]


def _places(
    node: Any, default: Affine, length: Affine, names: Names, around: Sequence[Affine]
) -> Iterator[tuple[Affine, list[Affine]]]:
    """Yield what an end of a slice may mean; where it is unknown, as far as the slice can go."""
    place = None if node is None else affine_of(node, names)
    if place is None:
        yield default, []
    else:
        yield from _from_start(place, length, around)


def _from_start(
    place: Affine, length: Affine, around: Sequence[Affine]
) -> Iterator[tuple[Affine, list[Affine]]]:
    """Yield a place as it is, where it may be positive, and from the end, where it may not."""
    before = place.times(-1) - number(1)
    below, above = can_hold([*around, before]), can_hold([*around, place])
    if above or not below:
        yield place, [place] if below else []
    if below:
        yield length + place, [before] if above else []


def meet(one: Region, other: Region) -> Iterator[Affine]:
    """Yield the sums that are not negative where two blocks have an element in common."""
    yield from one.sums
    yield from other.sums
    for here, there in zip(one.intervals, other.intervals, strict=False):
        for first in (here.first, there.first):
            for last in (here.last, there.last):
                yield last - first
