"""Says how many axes an index leaves of an array."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from srcgrad.analyses.spelled_lengths import Length, Vector
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

    One array of places may be among slices: its axes are in the place of those that it names. So
    they are where integers are next to it.

    >>> parts = [gast.Slice(None, None, None), gast.Name("k", gast.Load(), None, None)]
    >>> of_places, sliced = lambda _: ((7, 8), 1), lambda length, _: length
    >>> taken_axes((3, 4, 5), parts, of_places, sliced, lambda _: False)
    (3, 7, 8, 5)
    >>> taken_axes((3, 4, 5), [gast.Constant(..., None), parts[1]], of_places, sliced, bool)
    (3, 4)
    """
    spelled = _spelled(parts, len(vector), of_places, is_integer)
    if spelled is None:
        return None
    done: list[Length] = []
    taken, counts = 0, {"integers": 0, "places": 0}
    for part in spelled:
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
    if counts["places"] and not (counts["places"] == 1 and _are_adjacent(spelled)):
        return None  # they may lead, wherever they stand
    return (*done, *vector[taken:])


def _spelled(
    parts: Sequence[Any], rank: int, of_places: Places, is_integer: Callable[[Any], bool]
) -> list[Any] | None:
    """Return the parts with slices instead of ``...``; None if one is not understood."""
    others = [part for part in parts if getattr(part, "value", None) is not Ellipsis]
    if len(others) == len(parts):
        return others
    taken = 0
    for part in others:
        if not isinstance(part, (gast.Slice, gast.Constant)) and not is_integer(part):
            places = of_places(part)
            if places is None:
                return None
            taken += places[1] - 1
        taken += not (isinstance(part, gast.Constant) and part.value is None)
    spread = [gast.Slice(None, None, None) for _ in range(rank - taken)]
    at = next(i for i, part in enumerate(parts) if getattr(part, "value", None) is Ellipsis)
    return [*parts[:at], *spread, *parts[at + 1 :]] if len(others) == len(parts) - 1 else None


def _are_adjacent(parts: Sequence[Any]) -> bool:
    """Say whether nothing stands between the arrays of places and integers of an index."""
    apart = (gast.Slice, gast.Constant)
    plain = [
        isinstance(part, apart) and type(getattr(part, "value", None)) is not int for part in parts
    ]
    return "".join(" " if item else "x" for item in plain).strip().find(" ") < 0
