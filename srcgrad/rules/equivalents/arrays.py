"""Writes out functions that surround, join and look up elements."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.rules.equivalents.registry import EquivalentTable, in_place, written_out
from srcgrad.runtime import between_zeros, distinct_places, dot_along, stop_gradient

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


@table.of(dot_along)
@in_place
def sum_of_product(a: Any, b: Any, *, axis: int, keepdims: bool = False) -> Any:
    """Return the sum of a product along an axis."""
    return np.sum(a * b, axis=axis, keepdims=keepdims)


@table.of(np.trim_zeros)
def trim_zeros(filt: Any, trim: str = "fb", axis: Any = None) -> Any:
    """Return the part from the first to the last element that is not 0, a view of an array."""
    whole = filt if hasattr(filt, "shape") else np.array(filt)
    return whole[between_zeros(np.asarray(stop_gradient(whole)), trim, axis)]


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


@table.of(np.unique, option=("return_index", 1), values=(True,))
def unique_and_index(ar: Any) -> tuple[Any, Any]:
    """Return the distinct values, and where each is first."""
    return np.unique(ar), np.unique(np.asarray(stop_gradient(ar)), return_index=True)[1]


@table.of(np.unique, option=("return_inverse", 2), values=(True,))
def unique_and_inverse(ar: Any) -> tuple[Any, Any]:
    """Return the distinct values, and which of them each element is."""
    return np.unique(ar), np.unique(np.asarray(stop_gradient(ar)), return_inverse=True)[1]


@table.of(np.unique, option=("return_counts", 3), values=(True,))
def unique_and_counts(ar: Any) -> tuple[Any, Any]:
    """Return the distinct values, and how often each is there."""
    return np.unique(ar), np.unique(np.asarray(stop_gradient(ar)), return_counts=True)[1]


@table.of(np.unique, option=("return_index", 1))
@table.of(np.unique, option=("return_inverse", 2))
@table.of(np.unique, option=("return_counts", 3))
@table.of(np.unique, option=("axis", 4))
def unique_and_more(
    ar: Any,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    *,
    equal_nan: bool = True,
) -> Any:
    """Return the distinct values, or parts of an array, and what is asked for of them."""
    first, which, counts = distinct_places(ar, axis, equal_nan)
    values = np.ravel(ar)[first] if axis is None else np.take(ar, first, axis)
    if return_index and return_inverse and return_counts:
        return values, first, which, counts
    if return_index and return_inverse:
        return values, first, which
    if return_index and return_counts:
        return values, first, counts
    if return_inverse and return_counts:
        return values, which, counts
    if return_index:
        return values, first
    if return_inverse:
        return values, which
    if return_counts:
        return values, counts
    return values


@written_out
def edges_of(a: Any, bins: Any, range: Any) -> Any:
    """Return the edges of bins, which are given, or divide a range evenly."""
    if hasattr(bins, "__len__"):
        return np.asarray(bins)
    low, high = np.min(a), np.max(a)
    if range is not None:
        low, high = range
    if low == high:
        low, high = low - 0.5, high + 0.5
    return np.linspace(low, high, bins + 1)


@written_out
def bins_of(a: Any, edges: Any) -> Any:
    """Return which bin each element is in; the last one has both of its edges."""
    return np.where(a == edges[-1], len(edges) - 2, np.searchsorted(edges, a, side="right") - 1)


@written_out
class Common:
    """What arrays are broadcast to: of `np.broadcast`, without the elements."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.shape = shape
        self.ndim = self.nd = len(shape)
        self.size = math.prod(shape)


@table.of(np.broadcast)
def broadcast_of(*args: Any) -> Common:
    """Return what arrays are broadcast to."""
    return Common(np.broadcast_shapes(*[np.shape(item) for item in args]))


@table.of(np.histogram2d)
def histogram2d(
    x: Any, y: Any, bins: Any = 10, range: Any = None, density: Any = False, weights: Any = None
) -> tuple[Any, Any, Any]:
    """Return the sums of weights in the cells of a grid, and the edges of those."""
    each = bins if hasattr(bins, "__len__") and len(bins) == 2 else (bins, bins)
    ends = (None, None) if range is None else range
    x_edges, y_edges = edges_of(x, each[0], ends[0]), edges_of(y, each[1], ends[1])
    row = bins_of(stop_gradient(x), stop_gradient(x_edges))
    column = bins_of(stop_gradient(y), stop_gradient(y_edges))
    rows, columns = len(x_edges) - 1, len(y_edges) - 1
    inside = (row >= 0) & (row < rows) & (column >= 0) & (column < columns)
    weights = np.ones(len(x)) if weights is None else weights
    cells = row[inside] * columns + column[inside]
    sums: Any = np.reshape(np.bincount(cells, weights[inside], rows * columns), (rows, columns))
    if density:
        sums = sums / (np.sum(sums) * np.outer(np.diff(x_edges), np.diff(y_edges)))
    return sums, x_edges, y_edges


@table.of(np.sort_complex)
def sort_complex(a: Any) -> Any:
    """Sort complex numbers by their real parts, then by their imaginary ones."""
    return np.sort(a + 0j)


EQUIVALENTS = table.freeze()
