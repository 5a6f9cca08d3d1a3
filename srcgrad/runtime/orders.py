"""Orders of two values, element by element, which are kept where the values need not be."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from srcgrad.runtime.slopes import kept_if, kept_unless

_LESS: Final = 0
_GREATER: Final = 1
_EQUAL: Final = 2
_UNORDERED: Final = 3

_SHORT: Final = 200  # elements, of which the questions take as long as the work
_TRUTHS: Final = np.dtype(bool)
_FLOATS: Final = np.dtype(float)


def order_of(x: Any, y: Any) -> Any:
    """Return which of `x` and `y` is the greater one, in a byte for each pair of elements.

    These are truths where each pair is in order, as nearly always. Otherwise they are numbers:
    0 where `x` is less, 1 where it is greater, 2 where both are equal, 3 where one is NaN.

    >>> order_of(np.array([1.0, 3.0]), 2.0)
    array([False,  True])
    >>> order_of(np.array([1.0, 2.0, np.nan]), 2.0)
    array([0, 2, 3], dtype=int8)
    """
    if isinstance(x, float) and isinstance(y, float):  # as the numbers of NumPy are, too
        return _GREATER if x > y else _LESS if x < y else _EQUAL if x == y else _UNORDERED
    greater, less = np.greater(x, y), np.less(x, y)
    if type(greater) is np.ndarray:
        if _count(greater) + _count(less) == greater.size:
            return greater
        apart = np.where(less, np.int8(_LESS), np.int8(_UNORDERED))
    else:
        apart = np.where(less, _LESS, _UNORDERED)
    kind = apart.dtype.type
    return np.where(greater, kind(_GREATER), np.where(x == y, kind(_EQUAL), apart))


def _count(truths: Any) -> int:
    """Return how many truths of an array hold; of short ones, NumPy takes longer to be asked."""
    return truths.tobytes().count(1) if truths.size < _SHORT else int(np.count_nonzero(truths))


def part_if_greater(grad: Any, order: Any) -> Any:
    """Return ``greater_part(grad, x, y)``, where `order` is that of `x` and `y`."""
    if type(order) is np.ndarray and order.dtype is _TRUTHS:
        plain = type(grad) is np.ndarray and grad.dtype is _FLOATS and grad.size < _SHORT
        if plain and grad.shape == order.shape:  # as `kept_if` does it, once all has been asked
            part = np.zeros(grad.shape)
            np.putmask(part, order, grad)
            return part
        return kept_if(grad, order)
    return _part(grad, order, _LESS)


def part_if_less(grad: Any, order: Any) -> Any:
    """Return ``greater_part(grad, y, x)``, where `order` is that of `x` and `y`."""
    if type(order) is np.ndarray and order.dtype is _TRUTHS:
        plain = type(grad) is np.ndarray and grad.dtype is _FLOATS and grad.size < _SHORT
        if plain and grad.shape == order.shape:
            part = grad.copy()
            np.putmask(part, order, 0.0)
            return part
        return kept_unless(grad, order)
    return _part(grad, order, _GREATER)


def _part(grad: Any, order: Any, other: int) -> Any:
    """Return `grad`, half of it where the `order` is that of equals, 0 where it is the `other`."""
    if type(order) is int:
        return 0.0 if order == other else 0.5 * grad if order == _EQUAL else grad
    return np.where(order == other, 0.0, np.where(order == _EQUAL, 0.5 * grad, grad))
