"""Reads and adds to the elements that an index selects."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from srcgrad.runtime.broadcasting import shape_of
from srcgrad.runtime.dispatch import beside, hand_over, records


def getitem(x: Any, index: Any) -> Any:
    """Return ``x[index]``: the function whose rule is that of a subscript that is read."""
    return x[index]


def may_repeat(index: Any) -> bool:
    """Return whether `index` can select an element twice: only arrays of integers can."""
    if type(index) is np.ndarray:
        return index.ndim > 0 and index.dtype.kind != "b"
    if isinstance(index, tuple):
        return any(map(may_repeat, index))
    if isinstance(index, list):
        return np.asarray(index).dtype.kind != "b"
    if isinstance(index, (np.generic, int)) or index is None or index is Ellipsis:
        return False
    dtype = getattr(index, "dtype", None)
    return dtype is not None and dtype.kind != "b" and index.ndim > 0


def add_at(buffer: Any, index: Any, grad: Any) -> None:
    """Do ``buffer[index] += grad`` so that an element selected twice is added to twice.

    `buffer` is an array, or a list or dict of adjoints, which are added to in place.
    """
    if isinstance(buffer, (list, dict)):
        buffer[index] = accumulate(buffer[index], grad)
    elif type(index) is not int and may_repeat(index):
        _add_repeated(buffer, index, grad)
    else:
        buffer[index] += grad


def _add_repeated(buffer: Any, index: Any, grad: Any) -> None:
    """Do ``np.add.at(buffer, index, grad)``; by counting if that is several times faster."""
    if getattr(index, "ndim", 0) == 1 and buffer.ndim == 1:  # which NumPy does fast
        np.add.at(buffer, index, grad)
        return
    size = 1 if isinstance(grad, float) else np.size(grad)  # which NumPy makes an array for
    few = size < max(buffer.size // 4, 100)
    if few or type(buffer) is not np.ndarray or buffer.dtype.kind != "f":
        np.add.at(buffer, index, grad)
        return
    places = np.arange(buffer.size).reshape(buffer.shape)[index]
    weights = np.broadcast_to(grad, places.shape)
    buffer += np.bincount(places.ravel(), weights.ravel(), buffer.size).reshape(buffer.shape)


def accumulate(total: Any, grad: Any) -> Any:
    """Return ``total + grad``, entry by entry if they are lists, tuples or dicts of adjoints."""
    if isinstance(total, dict):
        return {key: accumulate(value, grad[key]) for key, value in total.items()}
    if isinstance(total, (list, tuple)):
        return [accumulate(value, part) for value, part in zip(total, grad, strict=True)]
    return total if grad is None else operator.add(total, grad)


def add_entries(total: Any, part: Any) -> None:
    """Add the entries of `part` to those of `total`, a dict or list of adjoints, in place.

    The adjoint of None, where there may be a dict or list, is 0.0: there is nothing to add.
    """
    if part is None or (isinstance(part, float) and part == 0.0):
        return
    keys = part if isinstance(part, dict) else range(len(part))
    for key in keys:
        if isinstance(total[key], (dict, list)):
            add_entries(total[key], part[key])
        elif part[key] is not None:
            total[key] = total[key] + part[key]


def last_written(grad: Any, index: Any) -> Any:
    """Return the adjoint of ``v`` in ``y[index] = v``, where `grad` is that of ``y``.

    Where an index array names an element twice, NumPy keeps the last value: the others get zero.
    Of a list or dict it is the entry.
    """
    part = grad[index]
    if isinstance(grad, (list, dict)):
        return part
    if not may_repeat(index):
        return part.copy()
    order = np.arange(part.size).reshape(part.shape)
    writer = np.zeros(grad.shape, dtype=np.intp)
    writer[index] = order
    return np.where(writer[index] == order, part, 0)


def placed(grad: Any, index: Any, shape: Any) -> Any:
    """Return zeros of a shape with `grad` written at `index`: the adjoint of `last_written`."""
    full = np.zeros_like(grad, shape=shape)
    full[beside(index, full)] = grad
    return full


def scatter(grad: Any, index: Any, like: Any) -> Any:
    """Return zeros shaped as `like` with `grad` added at `index`: the adjoint of `getitem`."""
    if records(grad):
        return hand_over(scatter, grad, (grad, index, shape_of(like)))
    full = np.zeros_like(grad, shape=shape_of(like))
    index = beside(index, grad)
    if may_repeat(index):
        _add_repeated(full, index, grad)
    else:
        full[index] = grad
    return full


def picked(index: Any, like: Any, used: Any = True) -> Any:
    """Return which elements of an array `index` selects, as truth values; of these, the used."""
    full = np.zeros_like(like, dtype=bool)
    full[beside(index, like)] = used
    return full


def came_from(like: Any, places: Any, used: Any = True) -> Any:
    """Return of which elements of an array the numbers are among `places`, where these are used."""
    flat = np.zeros_like(like, dtype=bool, shape=(np.size(like),))
    flat[beside(places, like)[np.broadcast_to(used, np.shape(places))]] = True
    return np.reshape(flat, np.shape(like))


def compress(x: Any, condition: Any, axis: int | None = None) -> Any:
    """Return ``x.compress(condition, axis)``: `np.compress` with the array first."""
    return np.compress(condition, x, axis)


def item(x: Any, *index: Any) -> Any:
    """Return ``x.item(*index)``: one element as a Python number."""
    return x.item(*index)


def item_index(shape: Any, index: tuple[Any, ...]) -> Any:
    """Return the index, along all axes, of the element that ``x.item(*index)`` reads."""
    if not index:
        return (0,) * len(shape)
    if len(index) == 1 and not isinstance(index[0], tuple):
        return tuple(int(i) for i in np.unravel_index(index[0], shape)) if shape else ()
    return index[0] if len(index) == 1 else index


def names_element(index: Any) -> bool:
    """Say whether an index has two parts of which none is a slice: it names elements."""
    return isinstance(index, tuple) and len(index) == 2 and not any(map(_is_slice, index))


def _is_slice(part: Any) -> bool:
    return isinstance(part, (slice, list)) or part is None or part is Ellipsis
