"""Slopes of elementwise functions."""

from __future__ import annotations

import numpy as np
from numba import types
from numba.extending import overload

from srcgrad import runtime
from srcgrad.targets.loops.library.bodies import (
    made,
    narrow,
    of_array,
    of_number,
    of_real,
    unvalued,
)


@overload(runtime.power_slope)
def _power_slope(x, y):
    if of_real(unvalued(x)) and of_real(unvalued(y)):

        def of_numbers(x, y):
            if y == 0:
                return 0.0
            if x == 0 and y < 1:
                return np.inf
            return float(y * x ** (y - 1))

        return of_numbers
    if of_array(x) and of_real(unvalued(y)):
        number, one = np.dtype(narrow(x)).type, np.dtype(narrow(x)).type(1)
        if isinstance(unvalued(y), types.Integer):  # which NumPy multiplies with itself
            return lambda x, y: number(0) * x if y == 0 else number(y) * x ** (y - 1)

        def by_entries(x, y):
            return number(0) * x if y == 0 else number(y) * x ** (number(y) - one)

        return by_entries
    return None


@overload(runtime.power_log_slope)
def _power_log_slope(x, y, z):
    if not all(of_real(unvalued(item)) for item in (x, y, z)):
        return None

    def body(x, y, z):
        if x == 0 and y >= 0:
            return 0.0
        return z * np.log(x)

    return body


@overload(runtime.greater_part)
def _greater_part(grad, x, y):
    if all(of_real(unvalued(item)) for item in (grad, x, y)):
        return lambda grad, x, y: 0.0 if x < y else 0.5 * grad if x == y else 1.0 * grad
    if all(of_real(unvalued(item)) or of_array(item) for item in (grad, x, y)):
        number = np.dtype(narrow(grad)).type
        zero, half, one = number(0.0), number(0.5), number(1.0)
        return lambda grad, x, y: np.where(x < y, zero, np.where(x == y, half * grad, one * grad))
    return None


@overload(runtime.order_of)
def _order_of(x, y):
    if all(of_real(unvalued(item)) for item in (x, y)):
        return lambda x, y: 0 if x < y else 1 if x > y else 2 if x == y else 3
    if all(of_real(unvalued(item)) or of_array(item) for item in (x, y)):
        return lambda x, y: np.where(x < y, 0, np.where(x > y, 1, np.where(x == y, 2, 3)))
    return None


@overload(runtime.part_if_greater)
def _part_if_greater(grad, order):
    if all(of_real(unvalued(item)) for item in (grad, order)):
        return lambda grad, order: 0.0 if order == 0 else 0.5 * grad if order == 2 else 1.0 * grad
    if all(of_real(unvalued(item)) or of_array(item) for item in (grad, order)):
        number = np.dtype(narrow(grad)).type
        zero, half, one = number(0.0), number(0.5), number(1.0)
        return lambda grad, order: np.where(
            order == 0, zero, np.where(order == 2, half * grad, one * grad)
        )
    return None


@overload(runtime.part_if_less)
def _part_if_less(grad, order):
    if all(of_real(unvalued(item)) for item in (grad, order)):
        return lambda grad, order: 0.0 if order == 1 else 0.5 * grad if order == 2 else 1.0 * grad
    if all(of_real(unvalued(item)) or of_array(item) for item in (grad, order)):
        number = np.dtype(narrow(grad)).type
        zero, half, one = number(0.0), number(0.5), number(1.0)
        return lambda grad, order: np.where(
            order == 1, zero, np.where(order == 2, half * grad, one * grad)
        )
    return None


@overload(runtime.chosen_part)
def _chosen_part(grad, z, x, y):
    if not all(of_real(unvalued(item)) for item in (grad, z, x, y)):
        return None

    def body(grad, z, x, y):
        if x == z or (np.isnan(x) and np.isnan(z)):
            return 0.5 * grad if x == y else 1.0 * grad
        return 0.0

    return body


@overload(runtime.divide_or_zero)
def _divide_or_zero(x, y):
    if of_real(unvalued(x)) and of_real(unvalued(y)):
        return lambda x, y: x / y if y != 0 else 0.0
    if all(of_real(unvalued(item)) or of_array(item) for item in (x, y)):
        one = np.dtype(narrow(y)).type(1)
        return lambda x, y: np.where(y == 0, 0 * x, x / np.where(y == 0, one, y))
    return None


@overload(runtime.above_noise)
def _above_noise(y, a):
    if not of_real(unvalued(y)) or not of_array(a) or not isinstance(a.dtype, types.Float):
        return None
    noise = 4 * np.finfo(str(a.dtype)).eps
    return lambda y, a: y if y > noise * np.mean(np.abs(a)) else 0.0


@overload(runtime.sign)
def _sign(x):
    if isinstance(unvalued(x), types.Float) or (of_array(x) and isinstance(x.dtype, types.Float)):
        return lambda x: np.sign(x)
    if not isinstance(unvalued(x), types.Complex):
        return None

    def direction(x):
        size = abs(x)
        return x / size if size != 0 else 0 * x

    return direction


@overload(runtime.number_sign)
def _number_sign(x):
    return (lambda x: np.sign(x)) if isinstance(unvalued(x), types.Float) else None


@overload(runtime.is_number)
def _is_a_number(x):
    return (
        (lambda x: True) if of_number(unvalued(x)) else (lambda x: False) if of_array(x) else None
    )


@overload(runtime.exp_difference)
def _exp_difference(x, z):
    if not (of_real(unvalued(x)) and of_real(unvalued(z))):
        return None

    def body(x, z):
        if z == -np.inf:
            return 0.5
        return 1.0 if x == z else np.exp(x - z)

    return body


@overload(runtime.as_shape)
def _as_shape(grad, shape):
    if isinstance(shape, types.BaseTuple) and len(shape) == 0:
        return lambda grad, shape: grad
    return None


@overload(runtime.repeated)
def _repeated(grad, shapes):
    if of_number(grad) and isinstance(shapes, types.BaseTuple):
        shown = "grad, " * len(shapes)
        return made(f"def body(grad, shapes):\n    return ({shown})")
    if of_number(grad) and isinstance(shapes, types.List):
        return lambda grad, shapes: [grad for _ in shapes]
    return None
