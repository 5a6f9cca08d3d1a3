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


def is_fortran(a: Any) -> bool:
    """Return whether the first axis of `a` is the one that varies fastest in memory."""
    flags = getattr(a, "flags", None)
    return bool(flags is not None and flags["F_CONTIGUOUS"] and not flags["C_CONTIGUOUS"])


def reshape_back(grad: Any, shape: Any, order: str, fortran: bool = False) -> Any:
    """Undo a reshape whose elements were read in `order`; "A" and "K" depend on the memory."""
    kind = order if order in ("C", "F") else "F" if fortran else "C"
    return np.reshape(grad, shape, order=kind)


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


def meshgrid_back(grads: Any, shapes: Any, indexing: str) -> tuple[Any, ...]:
    """Sum each of `grads` over all axes of the grid but that of its coordinate."""
    count = len(shapes)
    order = [1, 0, *range(2, count)] if indexing == "xy" and count > 1 else range(count)
    parts = []
    for grad, shape, place in zip(grads, shapes, order, strict=True):
        others = tuple(axis for axis in range(count) if axis != place)
        parts.append(None if grad is None else np.reshape(np.sum(grad, axis=others), shape))
    return tuple(parts)
