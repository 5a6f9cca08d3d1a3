"""Writes out functions that call a function for each element, row or axis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.rules.equivalents.registry import Equivalent, EquivalentTable, written_out

table = EquivalentTable()

Mapped = Callable[..., Any]


@table.of(np.apply_along_axis)
def apply_along_axis(func1d: Mapped, axis: int, arr: Any, *args: Any, **kwargs: Any) -> Any:
    """Put what a function makes of each row in the place of the row."""
    rows = np.moveaxis(arr, axis, -1)
    lead = np.shape(rows)[:-1]
    flat = np.reshape(rows, (-1, np.shape(rows)[-1]))
    results = np.stack([func1d(row, *args, **kwargs) for row in flat])
    shape = np.shape(results)[1:]
    done = np.reshape(results, lead + shape)
    first = axis % np.ndim(arr)
    made = range(len(lead), len(lead) + len(shape))
    return np.moveaxis(done, list(made), list(range(first, first + len(shape))))


@table.of(np.apply_over_axes)
def apply_over_axes(func: Mapped, a: Any, axes: Any) -> Any:
    """Apply a reduction along one axis after the other, which stay as axes of one element."""
    result = a
    for axis in np.ravel(axes):
        shape = [1 if i == axis % np.ndim(a) else n for i, n in enumerate(np.shape(result))]
        result = np.reshape(func(result, axis), shape)
    return result


@written_out
def mapped(function: Mapped, x: Any, *, dtype: Any = None) -> Any:
    """Call a function on each element; the first result says of which type all are."""
    results = [function(item) for item in np.ravel(x)]
    kind = np.asarray(results[0]).dtype if dtype is None else dtype
    return np.reshape(np.array(results).astype(kind), np.shape(x))


@written_out
def mapped_pairs(function: Mapped, x: Any, y: Any, *, dtype: Any = None) -> Any:
    """Call a function on each pair of elements."""
    shape = np.broadcast_shapes(np.shape(x), np.shape(y))
    first, second = np.ravel(np.broadcast_to(x, shape)), np.ravel(np.broadcast_to(y, shape))
    results = [function(a, b) for a, b in zip(first, second, strict=False)]
    kind = np.asarray(results[0]).dtype if dtype is None else dtype
    return np.reshape(np.array(results).astype(kind), shape)


@written_out
def mapped_triples(function: Mapped, x: Any, y: Any, z: Any, *, dtype: Any = None) -> Any:
    """Call a function on each three elements."""
    shape = np.broadcast_shapes(np.shape(x), np.shape(y), np.shape(z))
    first, second = np.ravel(np.broadcast_to(x, shape)), np.ravel(np.broadcast_to(y, shape))
    third = np.ravel(np.broadcast_to(z, shape))
    results = [function(a, b, c) for a, b, c in zip(first, second, third, strict=False)]
    kind = np.asarray(results[0]).dtype if dtype is None else dtype
    return np.reshape(np.array(results).astype(kind), shape)


@written_out
def once_or_mapped(function: Mapped, x: Any) -> Any:
    """Call a function of numbers, or call it on each element of an array."""
    if np.ndim(x) == 0:
        return function(x)
    return mapped(function, x)


@written_out
def once_or_pairs(function: Mapped, x: Any, y: Any) -> Any:
    """Call a function of two numbers, or call it on each pair of elements."""
    if np.ndim(x) == 0 and np.ndim(y) == 0:
        return function(x, y)
    return mapped_pairs(function, x, y)


@written_out
def once_or_triples(function: Mapped, x: Any, y: Any, z: Any) -> Any:
    """Call a function of three numbers, or call it on each three elements."""
    if np.ndim(x) == 0 and np.ndim(y) == 0 and np.ndim(z) == 0:
        return function(x, y, z)
    return mapped_triples(function, x, y, z)


_MAPPED: dict[int, Mapped] = {2: mapped, 3: mapped_pairs, 4: mapped_triples}
_ONCE: dict[int, Mapped] = {2: once_or_mapped, 3: once_or_pairs, 4: once_or_triples}

EQUIVALENTS = table.freeze()


def of_vectorize(count: int, *, once: bool = False) -> Equivalent | None:
    """Return what maps a function over arrays, given the number of both together.

    It calls the function `once` if all that it is given are numbers.
    """
    found = (_ONCE if once else _MAPPED).get(count)
    return None if found is None else Equivalent(found)
