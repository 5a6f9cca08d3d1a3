"""Says how many axes an index leaves of an array."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from srcgrad.analyses.lengths import Length, Vector
from srcgrad.ir import gast

Places = Callable[[Any], "tuple[Vector, int] | None"]
"""Returns the axes of an array of places, and of how many axes it names entries."""


def taken_axes(
    vector: Vector,
    parts: Sequence[Any],
    of_places: Places,
    sliced: Callable[[Length, Any], Length],
    is_integer: Callable[[Any], bool],
) -> Vector | None:
    """Return the axes of what the parts of an index take out of an array; None if unknown.

    One array of places may be among slices: its axes are in the place of those that it names.

    >>> parts = [gast.Slice(None, None, None), gast.Name("k", gast.Load(), None, None)]
    >>> of_places, sliced = lambda _: ((7, 8), 1), lambda length, _: length
    >>> taken_axes((3, 4, 5), parts, of_places, sliced, lambda _: False)
    (3, 7, 8, 5)
    """
    done: list[Length] = []
    taken, counts = 0, {"integers": 0, "places": 0}
    for part in parts:
        if isinstance(part, gast.Constant) and part.value is None:
            done.append(1)
            continue
        if taken >= len(vector):
            return None
        if isinstance(part, gast.Slice):
            done.append(sliced(vector[taken], part))
        elif is_integer(part):
            counts["integers"] += 1
        else:
            places = of_places(part)
            if places is None or len(vector) < taken + places[1]:
                return None
            done += places[0]
            taken += places[1] - 1
            counts["places"] += 1
        taken += 1
    if counts["places"] and sum(counts.values()) > 1:  # which may lead, wherever they stand
        return None
    return (*done, *vector[taken:])
