"""Adjoints of functions that give arrays another shape, order or arrangement."""

from __future__ import annotations

from typing import Any

import numpy as np


def inverse_axes(axes: Any) -> tuple[int, ...]:
    """Return the permutation that undoes ``np.transpose(a, axes)``."""
    count = len(axes)
    position = {axis % count: place for place, axis in enumerate(axes)}
    return tuple(position[axis] for axis in range(count))


def reshape_back(grad: Any, shape: Any, order: str) -> Any:
    """Undo a reshape whose elements were read in `order`."""
    return np.reshape(grad, shape, order=order)


def split_like(grad: Any, shapes: Any, axis: int | None) -> tuple[Any, ...]:
    """Cut `grad` along `axis` into pieces of the given shapes: the adjoint of a concatenation."""
    if axis is None:
        ends = np.cumsum([int(np.prod(shape)) for shape in shapes])[:-1]
        pieces = np.split(grad, ends.tolist())
        return tuple(np.reshape(piece, shape) for piece, shape in zip(pieces, shapes, strict=True))
    ends = np.cumsum([shape[axis] for shape in shapes])[:-1]
    return tuple(np.split(grad, ends.tolist(), axis=axis))


def unstack_like(grad: Any, axis: int) -> tuple[Any, ...]:
    """Return the slices of `grad` along `axis`: the adjoint of a stack."""
    rows = np.moveaxis(grad, axis, 0)
    return tuple(rows[i] for i in range(rows.shape[0]))
