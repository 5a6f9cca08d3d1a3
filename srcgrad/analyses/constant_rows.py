"""Follows loops over tables that hold nothing but what is written out, and cannot change there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from srcgrad.ir import gast
from srcgrad.ir.displays import is_plain_number

if TYPE_CHECKING:
    from srcgrad.analyses.points_to import PointsTo
    from srcgrad.ir.scopes import Scope

_SEQUENCES: Final = (gast.List, gast.Tuple)


def runs_over_constants(loop: Any, points: PointsTo, scope: Scope) -> bool:
    """Say whether a loop takes constants, or tuples of such, out of lists and tuples.

    Lists of constants are taken apart by its target: it gives them no name.
    """
    if not isinstance(loop, gast.For):
        return False
    displays = _displays(loop, points)
    taken_apart = isinstance(loop.target, gast.Tuple)
    return bool(displays) and all(
        isinstance(display, _SEQUENCES)
        and all(_is_constant(row, points, scope, whole=taken_apart) for row in held)
        for display, held in displays
    )


def constants_of(loop: Any, points: PointsTo, place: int | None) -> list[Any]:
    """Return what a loop over constants gives its target, or what is in one place of that."""
    rows = [row for _, held in _displays(loop, points) for row in held]
    if place is None:
        return rows
    return [item for row in rows for item in getattr(row, "elts", [])[place : place + 1]]


def _displays(loop: Any, points: PointsTo) -> list[tuple[Any, list[Any]]]:
    """Return the displays that a loop may run over, with all that each may hold."""
    if isinstance(loop.iter, _SEQUENCES):
        return [(loop.iter, loop.iter.elts)]
    found = points.of(getattr(loop.iter, "id", ""))
    return [(points.displays[display], list(points.held(display))) for display in found]


def _is_constant(value: Any, points: PointsTo, scope: Scope, *, whole: bool) -> bool:
    """Say whether a value is a constant, or a tuple of such; or, as a `whole`, a list of such."""
    if not isinstance(value, _SEQUENCES):
        return isinstance(value, gast.Constant) or is_plain_number(value, scope)
    if isinstance(value, gast.List) and not whole:
        return False
    held = [*points.held(id(value))] if id(value) in points.displays else value.elts
    plain = len(held) == len(value.elts)  # nothing is put in, or taken from another list
    return plain and all(_is_constant(item, points, scope, whole=False) for item in held)
