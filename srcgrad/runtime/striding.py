"""Adjoints of what reads the memory of an array with strides of its own."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from srcgrad.errors import NotDifferentiableError
from srcgrad.runtime.dispatch import recordable


@recordable
def strided_places(x: Any, shape: Any, strides: Any) -> Any:
    """Return the flat place in `x` of each element of ``as_strided(x, shape, strides)``.

    >>> strided_places(np.arange(4.0), (2, 3), (8, 8))
    array([[0, 1, 2],
           [1, 2, 3]])
    """
    sizes, steps = np.shape(x), _strides_of(x)
    own = np.ravel(_offsets(sizes, steps))
    asked = _offsets(sizes if shape is None else shape, steps if strides is None else strides)
    if np.size(asked) == 0:
        return asked
    order = np.argsort(own, kind="stable")
    place = np.minimum(np.searchsorted(own, asked, sorter=order), len(own) - 1)
    alone = np.all(np.diff(own[order]) > 0)
    if not len(own) or not alone or np.any(own[order][place] != asked):
        raise NotDifferentiableError(
            "as_strided reads memory that is not of one element of its array alone",
            hint="make a copy of the array first, or index it",
        )
    return order[place]


def _strides_of(x: Any) -> Any:
    """Return the strides of an array: none of a Python number, which is one element."""
    return getattr(x, "strides", ())


def _offsets(shape: Any, strides: Any) -> Any:
    """Return how far from the first element each one is, in bytes."""
    shape, strides = np.atleast_1d(shape), np.atleast_1d(strides)
    steps = [np.arange(n) * stride for n, stride in zip(shape, strides, strict=True)]
    return functools.reduce(np.add.outer, steps, np.array(0))


@recordable
def strided_push(tangent: Any, x: Any, shape: Any, strides: Any) -> Any:
    """Return the tangent of ``as_strided(x, shape, strides)``: a view where the layouts agree."""
    arrays = hasattr(x, "strides") and hasattr(tangent, "strides")
    if arrays and tangent.strides == x.strides and tangent.dtype == x.dtype:
        return np.lib.stride_tricks.as_strided(tangent, shape, strides)
    copy = np.ravel(tangent)[strided_places(x, shape, strides)]
    copy.flags.writeable = False  # it is no view, so nothing may be written through it
    return copy


def reads_what_it_wrote(target: Any, value: Any) -> bool:
    """Say whether NumPy, storing `value` into the vector `target`, reads what it has just written.

    It copies first what lies in the same memory unless both are vectors that run in the same
    direction; then it stores one element after another, from the end if that begins later.
    """
    if np.ndim(target) != 1 or value.shape != target.shape:
        return False
    step, pace = target.strides[0], value.strides[0]
    if step == pace or step * pace <= 0:
        return False
    begin = target.__array_interface__["data"][0]
    read = value.__array_interface__["data"][0] - begin + pace * np.arange(len(value))
    places, rest = np.divmod(read, step)
    written = (rest == 0) & (places >= 0) & (places < len(value))
    is_backwards = read[:1] < 0
    earlier = places > np.arange(len(value)) if is_backwards else places < np.arange(len(value))
    return bool(np.any(written & earlier))
