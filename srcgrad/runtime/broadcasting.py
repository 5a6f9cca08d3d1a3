"""Undoes what broadcasting and reducing did to shapes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from srcgrad.runtime.dispatch import hand_over, recordable, records

Shape = tuple[int, ...]

_UNSHAPED = frozenset({float, int, complex, list, dict})  # numbers, and adjoints of containers


def shape_of(like: Any) -> Shape:
    """Return `like` if it is a shape already, else the shape of that array or number.

    A tuple of floats or of arrays is no shape, but what is broadcast as the array that it makes.
    """
    if type(like) is tuple and all(type(n) is int for n in like):
        return like
    return () if type(like) is float else np.shape(like)


def unbroadcast(grad: Any, like: Any) -> Any:
    """Sum `grad` back to the shape of `like`, which was broadcast to the shape of `grad`.

    `like` is an array, a number or a shape. If the shapes agree, `grad` itself is returned.
    """
    if type(grad) in _UNSHAPED:
        return grad
    shape = like.shape if type(like) is np.ndarray else shape_of(like)
    if grad.shape == shape:
        return grad
    lead = grad.ndim - len(shape)
    if type(grad) is np.ndarray and grad.shape[lead:] == shape:  # as for what is added to each row
        return grad.sum(axis=_leading(lead) if shape else None)
    if records(grad):
        return hand_over(unbroadcast, grad, (grad, shape))
    if not shape:
        return np.sum(grad)
    stretched = [lead + i for i, n in enumerate(shape) if n == 1 and grad.shape[lead + i] != 1]
    return np.reshape(np.sum(grad, axis=(*range(lead), *stretched)), shape)


def _leading(count: int) -> Any:
    """Return so many axes from the first as NumPy takes them fastest."""
    return 0 if count == 1 else tuple(range(count))


def any_selected(condition: Any, like: Any) -> Any:
    """Return which entries of `like` reach, once broadcast, one for which the condition holds."""
    shape = shape_of(like)
    if np.shape(condition) == shape:
        return condition
    reached = np.broadcast_to(condition, np.broadcast_shapes(np.shape(condition), shape))
    lead = reached.ndim - len(shape)
    stretched = [lead + i for i, n in enumerate(shape) if n == 1]
    return np.reshape(np.any(reached, axis=(*range(lead), *stretched)), shape)


@recordable
def expand_reduced(grad: Any, like: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Put the reduced axes back into `grad` and broadcast it to the shape of `like`.

    `like` is an array or a shape; `axis` and `keepdims` are those of the reduction.
    """
    shape = shape_of(like)
    if axis is not None and not keepdims and len(shape) > 0:  # NumPy takes axis=0 of a number too
        grad = np.expand_dims(grad, axis)
    return np.broadcast_to(grad, shape)


def kept(value: Any, axis: Any, keepdims: bool) -> Any:
    """Return the result of a reduction with its reduced axes of length one in place."""
    if axis is None or keepdims:
        return value
    if type(value) is not np.ndarray or type(axis) not in (int, tuple):
        return np.expand_dims(value, axis)
    axes = axis if type(axis) is tuple else (axis,)  # what follows takes a third of the time
    rank = value.ndim + len(axes)
    shape = [*value.shape]
    for place in sorted([place + rank if place < 0 else place for place in axes]):
        shape.insert(place, 1)
    return value.reshape(shape)


def reduced_size(like: Any, axis: Any) -> int:
    """Return how many elements of `like` a reduction over `axis` puts together."""
    shape = shape_of(like)
    if axis is None or not shape:
        return math.prod(shape)
    axes = axis if isinstance(axis, tuple) else (axis,)
    return math.prod(shape[i] for i in axes)
