"""Adjoints of functions that give arrays another shape or axes in another order."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.runtime.broadcasting import unbroadcast


def inverse_axes(axes: Any) -> tuple[int, ...]:
    """Return the permutation that undoes ``np.transpose(a, axes)``."""
    count = len(axes)
    position = {axis % count: place for place, axis in enumerate(axes)}
    return tuple(position[axis] for axis in range(count))


def read_order(a: Any, order: str) -> Any:
    """Return how "A" and "K" read the elements of `a`: "C", "F", or its axes, the slowest first."""
    if order == "K" and np.ndim(a) > 1:
        strides = np.empty_like(a).strides  # those of `a`, without gaps and steps backwards
        return tuple(sorted(range(np.ndim(a)), key=lambda axis: -strides[axis]))
    if order == "A":
        flags = getattr(a, "flags", None)
        is_fortran = flags is not None and flags["F_CONTIGUOUS"] and not flags["C_CONTIGUOUS"]
        return "F" if is_fortran else "C"
    return "F" if order == "F" else "C"


def reshape_back(grad: Any, shape: Any, order: Any) -> Any:
    """Undo a reshape whose elements were read in an order that `read_order` tells."""
    if isinstance(order, str):
        return np.reshape(grad, shape, order=order)
    rows = np.reshape(grad, tuple(shape[axis] for axis in order))
    return np.transpose(rows, [order.index(axis) for axis in range(len(order))])


def rollaxis_back(grad: Any, axis: int, start: int, ndim: int) -> Any:
    """Undo ``np.rollaxis(a, axis, start)``."""
    axis, start = axis % ndim, start + ndim if start < 0 else start
    return np.moveaxis(grad, start - 1 if axis < start else start, axis)


def reshape_each(grads: Any, shapes: Any) -> tuple[Any, ...]:
    """Give each of `grads` its shape; None stays None."""
    pairs = zip(grads, shapes, strict=True)
    return tuple(None if grad is None else np.reshape(grad, shape) for grad, shape in pairs)


def unbroadcast_each(grads: Any, shapes: Any) -> tuple[Any, ...]:
    """Sum each of `grads` back to its shape; None stays None."""
    pairs = zip(grads, shapes, strict=True)
    return tuple(None if grad is None else unbroadcast(grad, shape) for grad, shape in pairs)


def broadcast_each(parts: Any, shapes: Any) -> tuple[Any, ...]:
    """Repeat each of `parts` to its shape; None stays None."""
    pairs = zip(parts, shapes, strict=True)
    return tuple(None if part is None else np.broadcast_to(part, shape) for part, shape in pairs)


def spread_over_grid(parts: Any, shapes: Any, indexing: str) -> tuple[Any, ...]:
    """Repeat each of `parts` over a grid, in a given shape: the adjoint of `meshgrid_back`."""
    grids = np.meshgrid(*parts, indexing=indexing, sparse=True)
    return broadcast_each(grids, shapes)


def meshgrid_back(grads: Any, shapes: Any, indexing: str) -> tuple[Any, ...]:
    """Sum each of `grads` over all axes of the grid but that of its coordinate."""
    count = len(shapes)
    order = [1, 0, *range(2, count)] if indexing == "xy" and count > 1 else range(count)
    parts = []
    for grad, shape, place in zip(grads, shapes, order, strict=True):
        others = tuple(axis for axis in range(count) if axis != place)
        parts.append(None if grad is None else np.reshape(np.sum(grad, axis=others), shape))
    return tuple(parts)
