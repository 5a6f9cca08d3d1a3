"""Adjoints of functions that pick, repeat or surround elements."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from srcgrad.errors import MissingRuleError
from srcgrad.runtime.broadcasting import unbroadcast
from srcgrad.runtime.dispatch import beside, hand_over, recordable, records
from srcgrad.runtime.indexing import scatter


def places(shape: Any) -> Any:
    """Return an array of the given shape that holds the flat place of each of its elements."""
    return np.reshape(np.arange(math.prod(shape)), shape)


@recordable
def gather_back(grad: Any, source: Any, shape: Any) -> Any:
    """Add each element of `grad` at the flat place that `source` names; -1 is nowhere.

    If a function arranges elements of its input, applying it to `places` gives `source`.
    """
    flat = np.zeros_like(grad, shape=(math.prod(shape),))
    source = beside(source, grad)
    known = source >= 0
    np.add.at(flat, source[known], _array(grad)[known])
    return np.reshape(flat, shape)


def _array(x: Any) -> Any:
    return x if hasattr(x, "shape") else np.asarray(x)


def gather(x: Any, source: Any) -> Any:
    """Return the elements of `x` at flat places, and 0 for the place -1."""
    source = beside(source, x)
    found = np.take(np.reshape(x, (-1,)), np.maximum(source, 0))
    return np.where(source >= 0, found, 0)


def negated(shift: Any) -> Any:
    """Return the opposite of a shift, or of each of several."""
    return tuple(-part for part in shift) if isinstance(shift, (tuple, list)) else -shift


def tile_back(grad: Any, shape: Any, reps: Any) -> Any:
    """Sum the copies that ``np.tile`` has made."""
    counts = tuple(reps) if isinstance(reps, (tuple, list, np.ndarray)) else (reps,)
    rank = max(len(counts), len(shape))
    counts = (1,) * (rank - len(counts)) + counts
    full = (1,) * (rank - len(shape)) + tuple(shape)
    split = [n for pair in zip(counts, full, strict=True) for n in pair]
    total = np.sum(np.reshape(grad, split), axis=tuple(range(0, 2 * rank, 2)))
    return np.reshape(total, shape)


def repeat_back(grad: Any, shape: Any, repeats: Any, axis: int | None) -> Any:
    """Sum the copies that ``np.repeat`` has made of each element."""
    if axis is None or len(shape) == 0:
        flat = repeat_back(grad, (math.prod(shape),), repeats, 0)
        return np.reshape(flat, shape)
    count = shape[axis]
    if np.size(repeats) == 1:
        each = int(np.reshape(repeats, ())) if np.ndim(repeats) else int(repeats)
        axis %= len(shape)
        return np.sum(
            np.reshape(grad, (*shape[: axis + 1], each, *shape[axis + 1 :])), axis=axis + 1
        )
    return take_back(grad, np.repeat(np.arange(count), repeats), shape, axis, "raise")


def take_back(grad: Any, indices: Any, shape: Any, axis: int | None, mode: str) -> Any:
    """Add `grad` at `indices` along `axis` of zeros: the adjoint of ``np.take``."""
    count = math.prod(shape) if axis is None else shape[axis]
    source = _array(indices)
    if mode == "clip":
        source = np.clip(source, 0, count - 1)
    elif mode == "wrap":
        source = source % count
    if axis is None:
        return np.reshape(scatter(grad, (source,), (count,)), shape)
    lead = (slice(None),) * (axis % len(shape))
    return scatter(grad, (*lead, source), tuple(shape))


@recordable
def put_along_axis(grad: Any, indices: Any, shape: Any, axis: int | None) -> Any:
    """Add `grad` at `indices` along `axis` of zeros: the adjoint of ``np.take_along_axis``."""
    if axis is None:
        flat = np.zeros_like(grad, shape=(math.prod(shape),))
        np.add.at(flat, indices, grad)
        return np.reshape(flat, shape)
    full = np.zeros_like(grad, shape=shape)
    grid = list(np.indices(indices.shape, sparse=True))
    grid[axis] = indices
    stretched = [i for i, n in enumerate(indices.shape) if n == 1 and shape[i] > 1]
    for i in stretched:
        if i != axis % len(shape):
            grid[i] = np.reshape(
                np.arange(shape[i]), [-1 if j == i else 1 for j in range(len(shape))]
            )
    np.add.at(full, beside(tuple(grid), grad), grad)
    return full


def take_along(x: Any, indices: Any, axis: int | None) -> Any:
    """Return one element of `x` for each of `indices` along `axis`."""
    return np.take_along_axis(x, indices, axis)


def item_shapes(items: Any) -> list[Any]:
    """Return the shape of each of several arrays."""
    return [np.shape(item) for item in items]


def choose_back(grad: Any, index: Any, shapes: Any, mode: str) -> tuple[Any, ...]:
    """Give each choice the part of `grad` where it was taken."""
    count = len(shapes)
    source = index if hasattr(index, "dtype") else beside(np.asarray(index), grad)
    source = np.clip(source, 0, count - 1) if mode == "clip" else source % count
    chosen = [np.where(source == place, grad, 0.0) for place in range(count)]
    return tuple(unbroadcast(part, shape) for part, shape in zip(chosen, shapes, strict=True))


def select_back(
    grad: Any, conditions: Any, shapes: Any, default_shape: Any
) -> tuple[tuple[Any, ...], Any]:
    """Give each choice the part of `grad` where its condition was the first that held."""
    parts, free = [], True
    for condition, shape in zip(conditions, shapes, strict=True):
        part = np.where(np.logical_and(free, condition), grad, 0.0)
        parts.append(unbroadcast(part, shape))
        free = np.logical_and(free, np.logical_not(condition))
    return tuple(parts), unbroadcast(np.where(free, grad, 0.0), default_shape)


def insert_back(
    grad: Any, shape: Any, values_shape: Any, obj: Any, axis: int | None
) -> tuple[Any, Any]:
    """Give each element of an array and of the values inserted into it its part of `grad`."""
    size = math.prod(shape)
    source = np.insert(places(shape), obj, -1, axis)
    count = np.size(source) - size
    of_values = np.full(source.shape, -1)
    if count:
        fill = np.reshape(np.arange(size, size + math.prod(values_shape)), values_shape)
        of_values = np.insert(places(shape), obj, fill, axis) - size
        of_values = np.where(source < 0, of_values, -1)
    return gather_back(grad, source, shape), gather_back(grad, of_values, values_shape)


_REPEATING = ("edge", "reflect", "symmetric", "wrap")


def pad_back(grad: Any, shape: Any, width: Any, mode: Any, reflect_type: Any) -> Any:
    """Return the adjoint of ``np.pad`` in the given mode."""
    if mode in ("constant", "empty"):
        return crop(grad, shape, width)
    if mode in _REPEATING and reflect_type != "odd":
        return gather_back(grad, np.pad(places(shape), width, mode), shape)
    raise _unknown_mode(mode)


def pad_push(dot: Any, constant_dot: Any, shape: Any, width: Any, options: Any) -> Any:
    """Return the tangent of ``np.pad`` from those of the array and of the constant around it."""
    mode, reflect_type = options
    dot = np.zeros(shape) if dot is None else dot
    if mode in ("constant", "empty"):
        return np.pad(dot, width, constant_values=0 if constant_dot is None else constant_dot)
    if mode in _REPEATING and reflect_type != "odd":
        return np.pad(dot, width, mode)
    raise _unknown_mode(mode)


def _unknown_mode(mode: Any) -> MissingRuleError:
    shown = repr(mode) if isinstance(mode, str) else "of a function"
    return MissingRuleError(
        f"np.pad in mode {shown} has no derivative rule for this call",
        hint="give the mode as a literal; the reflect_type 'odd' and functions have no rule yet",
    )


def border_sum(grad: Any, inner: Any, shape: Any) -> Any:
    """Return the gradient of the constant of a border: None if it was several numbers."""
    return np.sum(grad) - np.sum(inner) if shape == () else None


def crop(grad: Any, shape: Any, width: Any) -> Any:
    """Return the part of `grad` that lies within a border of the given width."""
    if isinstance(width, dict):
        width = [width.get(axis, width.get(axis - len(shape), 0)) for axis in range(len(shape))]
        width = [(one, one) if np.ndim(one) == 0 else tuple(one) for one in width]
    pairs = np.broadcast_to(np.asarray(width), (len(shape), 2))
    inner = zip(pairs.tolist(), shape, strict=True)
    return grad[tuple(slice(before, before + n) for (before, _), n in inner)]


def between_zeros(filt: Any, trim: str, axis: Any) -> tuple[slice, ...]:
    """Return the places that ``np.trim_zeros`` keeps of an array.

    >>> between_zeros(np.array([0.0, 1.0, 0.0, 2.0, 0.0, 0.0]), "fb", None)
    (slice(1, 4, None),)
    """
    rank = np.ndim(filt)
    index = [slice(None)] * rank
    for i in range(rank) if axis is None else [i % rank for i in np.atleast_1d(axis)]:
        others = tuple(k for k in range(rank) if k != i)
        kept = np.flatnonzero(np.any(filt != 0, axis=others)).tolist()
        first, last = (kept[0], kept[-1]) if kept else (0, -1)
        front, back = "f" in trim.lower(), "b" in trim.lower()
        index[i] = slice(first if front else None, last + 1 if back or not kept else None)
    return tuple(index)


def diag_back(grad: Any, shape: Any, k: int) -> Any:
    """Return the adjoint of ``np.diag``, which takes a diagonal or makes a matrix of one."""
    return np.diagonal(grad, k) if len(shape) == 1 else diagonal_back(grad, shape, k, (0, 1))


def diagonal_back(grad: Any, shape: Any, offset: int, axes: Any) -> Any:
    """Return zeros of the given shape with `grad` on the diagonals along two axes."""
    if records(grad):
        return hand_over(diagonal_back, grad, (grad, shape, offset, axes))
    full = np.zeros_like(grad, shape=shape)
    rows = np.moveaxis(full, axes, (-2, -1))
    count = np.shape(grad)[-1]
    steps = beside(np.arange(count), grad)
    rows[..., steps + max(-offset, 0), steps + max(offset, 0)] = grad
    return full


def trace_back(grad: Any, shape: Any, offset: int, axes: Any) -> Any:
    """Return zeros of the given shape with `grad` at each place of the diagonals."""
    rows, columns = shape[axes[0]], shape[axes[1]]
    count = max(min(rows + min(offset, 0), columns - max(offset, 0)), 0)
    if isinstance(grad, float) and axes == (0, 1) and len(shape) == len(axes):  # as it mostly is
        zeros = np.zeros(shape)
        start = offset if offset > 0 else -offset * columns
        zeros.reshape(-1)[start :: columns + 1][:count] = grad
        return zeros
    spread = np.broadcast_to(np.expand_dims(grad, -1), (*np.shape(grad), count))
    return diagonal_back(spread, shape, offset, axes)


def taken(
    like: Any, indices: Any, axis: int | None = None, out: Any = None, mode: Any = "raise"
) -> Any:
    """Return which elements of an array ``np.take(like, indices, axis)`` takes, as truth values."""
    source = np.take(places(np.shape(like)), indices, axis, out, mode)
    full = np.zeros_like(np.ravel(like), dtype=bool)
    full[beside(np.ravel(source), full)] = True
    return np.reshape(full, np.shape(like))
