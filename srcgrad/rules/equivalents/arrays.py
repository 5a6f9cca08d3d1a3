"""Writes out functions that surround, join and look up elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.rules.equivalents.registry import EquivalentTable

table = EquivalentTable()


@table.of(np.pad, np.mean, option=("mode", 2), values=("mean",))
@table.of(np.pad, np.median, option=("mode", 2), values=("median",))
@table.of(np.pad, np.max, option=("mode", 2), values=("maximum",))
@table.of(np.pad, np.min, option=("mode", 2), values=("minimum",))
def pad_with(
    statistic: Callable[..., Any], array: Any, pad_width: Any, *, stat_length: Any = None
) -> Any:
    """Surround an array by a statistic of its rows, axis after axis."""
    widths = np.broadcast_to(pad_width, (np.ndim(array), 2))
    for axis in range(np.ndim(array)):
        lines = np.moveaxis(array, axis, 0)
        first, last = lines, lines
        if stat_length is not None:
            lengths = np.broadcast_to(stat_length, (np.ndim(array), 2))
            first = lines[: lengths[axis, 0]]
            last = lines[max(len(lines) - lengths[axis, 1], 0) :]
        above = np.repeat(statistic(first, axis=0, keepdims=True), widths[axis, 0], axis=0)
        below = np.repeat(statistic(last, axis=0, keepdims=True), widths[axis, 1], axis=0)
        array = np.moveaxis(np.concatenate((above, lines, below)), 0, axis)
    return array


@table.of(np.pad, option=("mode", 2), values=("linear_ramp",))
def pad_with_ramps(array: Any, pad_width: Any, *, end_values: Any = 0) -> Any:
    """Surround an array by straight lines from its edges to the end values, axis after axis."""
    widths = np.broadcast_to(pad_width, (np.ndim(array), 2))
    ends = np.broadcast_to(np.asarray(end_values), (np.ndim(array), 2))
    for axis in range(np.ndim(array)):
        lines = np.moveaxis(array, axis, 0)
        above, below = widths[axis, 0], widths[axis, 1]
        up = np.reshape(np.arange(above) / max(above, 1), (-1,) + (1,) * (np.ndim(array) - 1))
        down = np.reshape(np.arange(below) / max(below, 1), (-1,) + (1,) * (np.ndim(array) - 1))
        before = ends[axis, 0] + up * (lines[:1] - ends[axis, 0])
        after = ends[axis, 1] + down[::-1] * (lines[-1:] - ends[axis, 1])
        array = np.moveaxis(np.concatenate((before, lines, after)), 0, axis)
    return array


@table.of(np.interp, option=("period", 5))
def periodic_interp(
    x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None
) -> Any:
    """Read a broken line that repeats itself."""
    if period is None:
        return np.interp(x, xp, fp, left, right)
    period = abs(period)
    places = xp % period
    order = np.argsort(places)
    places, values = places[order], fp[order]
    knots = np.concatenate((places[-1:] - period, places, places[:1] + period))
    return np.interp(x % period, knots, np.concatenate((values[-1:], values, values[:1])))


@table.of(np.union1d)
def union1d(ar1: Any, ar2: Any) -> Any:
    """Return the values that are in either array; of equal ones the first array's."""
    return np.unique(np.concatenate((np.ravel(ar1), np.ravel(ar2))))


@table.of(np.intersect1d)
def intersect1d(ar1: Any, ar2: Any) -> Any:
    """Return the values that are in both arrays, those of the first."""
    values = np.unique(ar1)
    return values[np.isin(values, ar2)]


@table.of(np.setdiff1d)
def setdiff1d(ar1: Any, ar2: Any) -> Any:
    """Return the values of the first array that are not in the second."""
    values = np.unique(ar1)
    return values[~np.isin(values, ar2)]


@table.of(np.setxor1d)
def setxor1d(ar1: Any, ar2: Any) -> Any:
    """Return the values that are in just one of the arrays."""
    first, second = np.unique(ar1), np.unique(ar2)
    return np.sort(
        np.concatenate((first[~np.isin(first, second)], second[~np.isin(second, first)]))
    )


@table.of(np.sort_complex)
def sort_complex(a: Any) -> Any:
    """Sort complex numbers by their real parts, then by their imaginary ones."""
    return np.sort(a + 0j)


EQUIVALENTS = table.freeze()
