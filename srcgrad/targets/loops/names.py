"""Reductions along axes under names of ours, which Numba compiles by the bodies in `library`."""

from __future__ import annotations

from typing import Any

import numpy as np


def sum_along(x: Any, axis: Any, keepdims: bool) -> Any:
    """Return ``np.sum(x, axis, keepdims=keepdims)``."""
    return np.sum(x, axis=axis, keepdims=keepdims)


def mean_along(x: Any, axis: Any, keepdims: bool) -> Any:
    """Return ``np.mean(x, axis, keepdims=keepdims)``."""
    return np.mean(x, axis=axis, keepdims=keepdims)


def prod_along(x: Any, axis: Any, keepdims: bool) -> Any:
    """Return ``np.prod(x, axis, keepdims=keepdims)``."""
    return np.prod(x, axis=axis, keepdims=keepdims)


def max_along(x: Any, axis: Any, keepdims: bool) -> Any:
    """Return ``np.max(x, axis, keepdims=keepdims)``."""
    return np.max(x, axis=axis, keepdims=keepdims)


def min_along(x: Any, axis: Any, keepdims: bool) -> Any:
    """Return ``np.min(x, axis, keepdims=keepdims)``."""
    return np.min(x, axis=axis, keepdims=keepdims)


def any_along(x: Any, axis: Any, keepdims: bool) -> Any:
    """Return ``np.any(x, axis, keepdims=keepdims)``."""
    return np.any(x, axis=axis, keepdims=keepdims)


def all_along(x: Any, axis: Any, keepdims: bool) -> Any:
    """Return ``np.all(x, axis, keepdims=keepdims)``."""
    return np.all(x, axis=axis, keepdims=keepdims)


def roll_along(x: Any, shift: Any, axis: Any) -> Any:
    """Return ``np.roll(x, shift, axis)``."""
    return np.roll(x, shift, axis)


def masked(x: Any, mask: Any) -> Any:
    """Return ``x[..., mask]`` for a mask of the last axes."""
    return x[..., mask]


def put_masked(x: Any, mask: Any, value: Any) -> None:
    """Do ``x[..., mask] = value`` for a mask of the last axes."""
    x[..., mask] = value


def add_masked(x: Any, mask: Any, value: Any) -> None:
    """Do ``x[..., mask] += value`` for a mask of the last axes."""
    x[..., mask] += value


def stacked(items: Any) -> Any:
    """Return ``np.array(items)`` of arrays of one shape."""
    return np.array(items)


def stacked_shape(items: Any) -> Any:
    """Return ``np.shape(items)`` of arrays of one shape."""
    return np.shape(items)


def list_of(items: Any) -> Any:
    """Return a list of numbers, or of tuples of them, that came as arrays."""
    return list(zip(*items, strict=True)) if isinstance(items, tuple) else list(items)


def entries_added(total: Any, grad: Any) -> Any:
    """Return ``total + grad``, entry by entry if they are lists of adjoints."""
    if not isinstance(total, list):
        return total + grad
    return [entries_added(one, part) for one, part in zip(total, grad, strict=True)]


def taken_out(items: Any, place: int) -> Any:
    """Return ``items.pop(place)``, after which Numba may free twice what is appended next."""
    return items.pop(place)


def with_room(kept: Any, count: int) -> Any:
    """Return an array with room for so many entries, with those of another at its beginning.

    It has twice the length at least, so that adding one after the other takes little time.
    """
    if len(kept) >= count:
        return kept
    return np.concatenate((kept, np.empty(max(count - len(kept), len(kept)), kept.dtype)))


class LengthsDifferError(ValueError):
    """Two axes of different length, where a text takes for granted that they are equal."""


def look_at_indices(least: int, most: int, length: int) -> None:
    """Raise unless indices from one to another lie within an array; there may be none.

    Raises:
        LengthsDifferError: They do not, or it is not known.
    """
    if least <= most and not (-length <= least and most < length):
        raise LengthsDifferError("an index that may be out of bounds")


def int_floor_divided(x: Any, y: Any) -> Any:
    """Return ``x // y``; of integers, and a `y` that is 0, an error as in Python."""
    return x // y


def int_remainder(x: Any, y: Any) -> Any:
    """Return ``x % y``; of integers, and a `y` that is 0, an error as in Python."""
    return x % y


def int_power(x: Any, y: Any) -> Any:
    """Return ``x ** y``; of integers, an error where 64 bits do not hold it."""
    return x**y


def int_scaled(x: Any, y: Any) -> Any:
    """Return `x` after ``x *= y``; of integers, an error where 64 bits do not hold it."""
    x *= y
    return x


def within_integers(x: Any) -> Any:
    """Return `x`; an error where 64 bits do not hold the integer next to it."""
    return x


def int_plus(x: Any, y: Any) -> Any:
    """Return ``x + y``; of integers, an error where 64 bits do not hold it."""
    return x + y


def int_minus(x: Any, y: Any) -> Any:
    """Return ``x - y``; of integers, an error where 64 bits do not hold it."""
    return x - y


def int_shifted(x: Any, y: Any) -> Any:
    """Return ``x << y``; an error where 64 bits do not hold it."""
    return x << y


def int_times(x: Any, y: Any) -> Any:
    """Return ``x * y``; of integers, an error where 64 bits do not hold it."""
    return x * y
