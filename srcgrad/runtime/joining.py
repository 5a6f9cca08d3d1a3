"""Adjoints of functions that join arrays, and of those that cut one into pieces."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from srcgrad.runtime.dispatch import records
from srcgrad.runtime.shaping import reshape_each


def split_like(grad: Any, shapes: Any, axis: int | None) -> tuple[Any, ...]:
    """Cut `grad` along `axis` into pieces of the given shapes: the adjoint of a concatenation."""
    if axis == 0:
        ends = [0, *itertools.accumulate([shape[0] for shape in shapes])]
        return tuple([grad[start:end] for start, end in itertools.pairwise(ends)])
    sizes = [math.prod(shape) if axis is None else shape[axis] for shape in shapes]
    along = axis or 0
    before = (slice(None),) * along if along >= 0 else (Ellipsis,)
    after = () if along >= 0 else (slice(None),) * (-1 - along)
    pieces, start = [], 0
    for size in sizes:  # np.split asks more of NumPy
        pieces.append(grad[(*before, slice(start, start + size), *after)])
        start += size
    return reshape_each(pieces, shapes) if axis is None else tuple(pieces)


def split_hstack(grad: Any, shapes: Any) -> tuple[Any, ...]:
    """Return the adjoint of ``np.hstack``."""
    wide = [shape or (1,) for shape in shapes]
    return reshape_each(split_like(grad, wide, 0 if len(wide[0]) == 1 else 1), shapes)


def split_vstack(grad: Any, shapes: Any) -> tuple[Any, ...]:
    """Return the adjoint of ``np.vstack``."""
    wide = [shape if len(shape) > 1 else (1, *(shape or (1,))) for shape in shapes]
    return reshape_each(split_like(grad, wide, 0), shapes)


def split_dstack(grad: Any, shapes: Any) -> tuple[Any, ...]:
    """Return the adjoint of ``np.dstack``."""
    wide = [shape if len(shape) > 2 else (1, 1, 1) for shape in shapes]
    return reshape_each(split_like(grad, wide, 2), shapes)


def split_column_stack(grad: Any, shapes: Any) -> tuple[Any, ...]:
    """Return the adjoint of ``np.column_stack``."""
    wide = [shape if len(shape) > 1 else (*(shape or (1,)), 1) for shape in shapes]
    return reshape_each(split_like(grad, wide, 1), shapes)


def join_rows(arrays: Any) -> Any:
    """Return ``np.r_[a, b, ...]``: arrays one after the other, along their first axis."""
    if any(records(array) for array in arrays):
        return np.concatenate([np.reshape(array, np.shape(array) or (1,)) for array in arrays])
    return np.r_[tuple(arrays)]


def split_rows(grad: Any, shapes: Any) -> tuple[Any, ...]:
    """Return the adjoint of ``np.r_[a, b, ...]``."""
    return reshape_each(split_like(grad, [shape or (1,) for shape in shapes], 0), shapes)


def join_columns(arrays: Any) -> Any:
    """Return ``np.c_[a, b, ...]``: arrays beside each other, along their last axis."""
    if any(records(array) for array in arrays):
        return np.concatenate([_as_columns(array) for array in arrays], axis=-1)
    return np.c_[tuple(arrays)]


def _as_columns(array: Any) -> Any:
    return array if np.ndim(array) > 1 else np.reshape(array, (-1, 1))


def split_columns(grad: Any, shapes: Any) -> tuple[Any, ...]:
    """Return the adjoint of ``np.c_[a, b, ...]``."""
    wide = [shape if len(shape) > 1 else (*(shape or (1,)), 1) for shape in shapes]
    return reshape_each(split_like(grad, wide, -1), shapes)


def unstack_like(grad: Any, axis: int) -> tuple[Any, ...]:
    """Return the slices of `grad` along `axis`: the adjoint of a stack."""
    rows = np.moveaxis(grad, axis, 0)
    return tuple(rows[i] for i in range(rows.shape[0]))


def nested_shapes(arrays: Any) -> Any:
    """Return the shapes of nested lists of arrays, nested alike."""
    return (
        [nested_shapes(item) for item in arrays] if isinstance(arrays, list) else np.shape(arrays)
    )


def block_back(grad: Any, shapes: Any) -> Any:
    """Cut `grad` into the nested blocks of the given shapes: the adjoint of ``np.block``."""
    rank = np.ndim(grad)
    depth, inner = 0, shapes
    while isinstance(inner, list):
        depth, inner = depth + 1, inner[0]
    return _cut_block(grad, shapes, rank, depth)


def join_blocks(parts: Any) -> Any:
    """Join nested blocks: the adjoint of `block_back`."""
    return np.block(_as_lists(parts))


def _as_lists(parts: Any) -> Any:
    return [_as_lists(part) for part in parts] if isinstance(parts, (tuple, list)) else parts


def _cut_block(grad: Any, shapes: Any, rank: int, depth: int) -> Any:
    """Cut `grad` along the axis of this depth, then each piece in turn."""
    if not isinstance(shapes, list):
        return np.reshape(grad, shapes)
    ends = np.cumsum([_extent(item, rank, rank - depth) for item in shapes])[:-1].tolist()
    pieces = np.split(grad, ends, axis=rank - depth)
    pairs = zip(pieces, shapes, strict=True)
    return tuple(_cut_block(piece, item, rank, depth - 1) for piece, item in pairs)


def _extent(shapes: Any, rank: int, axis: int) -> int:
    """Return how long the blocks of `shapes` are along an axis: all of one list agree there."""
    while isinstance(shapes, list):
        shapes = shapes[0]
    wide: tuple[int, ...] = (1,) * (rank - len(shapes)) + tuple(shapes)
    return wide[axis]


def join_pieces(grads: Any, shape: Any, sections: Any, axis: int) -> Any:
    """Join the adjoints of the pieces of an array: the adjoint of ``np.split`` and its kin."""
    if all(grad is not None for grad in grads) and _is_partition(sections):
        return np.concatenate(grads, axis=axis)
    cuts = np.array_split(np.arange(shape[axis]), sections)
    full = None
    for grad, cut in zip(grads, cuts, strict=True):
        if grad is not None and len(cut):
            before, after = int(cut[0]), shape[axis] - int(cut[-1]) - 1
            width = [(0, 0)] * len(shape)
            width[axis] = (before, after)
            padded = np.pad(grad, width)
            full = padded if full is None else full + padded
    return full


def _is_partition(sections: Any) -> bool:
    """Return whether the pieces are disjoint and cover all."""
    if np.ndim(sections) == 0:
        return True
    ends = np.asarray(sections)
    return bool(np.all(ends >= 0) and np.all(np.diff(ends) >= 0))


def restack(grads: Any, axis: int) -> Any:
    """Stack the adjoints of the slices of an array; a slice that was not used gets zeros."""
    known = next(grad for grad in grads if grad is not None)
    rows = [0 * known if grad is None else grad for grad in grads]
    return np.stack(rows, axis=axis)
