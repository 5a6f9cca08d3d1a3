"""Derivatives of elementwise functions that need a choice at some points."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from srcgrad.runtime.broadcasting import unbroadcast
from srcgrad.runtime.complex_parts import is_complex
from srcgrad.runtime.dispatch import hand_over, recordable, records

_NUMBERS: Final = (float, int)  # as the doubles of NumPy are, too
_FEW: Final = 1000  # elements, up to which one selection is faster than several plain passes
_BITS: Final = {np.dtype(np.float64): np.int64, np.dtype(np.float32): np.int32}


def power_slope(x: Any, y: Any) -> Any:
    """Return the derivative of ``x ** y`` in `x`, which is 0 wherever `y` is 0."""
    if type(x) is float and type(y) in (float, int):
        return _scalar_power_slope(x, y)
    if type(y) in (float, int):
        return 0 * x if y == 0 else y * np.power(x, y - 1)
    return y * np.power(x, np.where(y == 0, 1, y - 1))


def _scalar_power_slope(x: float, y: float) -> float:
    """Return `power_slope` of two Python numbers, infinite where Python would raise."""
    if y == 0:
        return 0.0
    if x == 0 and y < 1:
        return math.inf
    return float(y * x ** (y - 1))


def power_log_slope(x: Any, y: Any, z: Any) -> Any:
    """Return the derivative of ``z = x ** y`` in `y`, which is 0 where `x` is 0 and `y` >= 0."""
    if type(x) is float and type(z) is float:
        return 0.0 if x == 0 else z * math.log(x) if x > 0 else math.nan
    if type(x) in (float, int) and x > 0:
        return z * math.log(x)
    flat = np.logical_and(x == 0, np.real(y) >= 0)
    base = x + 0j if is_complex(z) else x  # a number below 0 has a complex logarithm
    return np.where(flat, 0 * z, z * np.log(np.where(flat, 1 + 0 * x, base)))


def kept_if(grad: Any, test: Any) -> Any:
    """Return ``np.where(test, grad, 0.0)``.

    A selection from many numbers takes its time to foresee which of the two comes next. A product
    does not, and that of the bits of numbers by 0 and 1 is right for infinite ones, too.

    >>> kept_if(np.array([1.0, np.inf]), np.array([True, False]))
    array([1., 0.])
    """
    if type(grad) is not np.ndarray or type(test) is not np.ndarray:
        return np.where(test, grad, 0.0)
    bits = _BITS.get(grad.dtype)
    if bits is None or test.dtype != bool or test.shape != grad.shape:
        return np.where(test, grad, 0.0)
    if grad.size < _FEW:
        part = np.zeros(grad.shape, grad.dtype)
        np.putmask(part, test, grad)
        return part
    return np.multiply(grad.view(bits), test).view(grad.dtype)


def kept_unless(grad: Any, test: Any) -> Any:
    """Return ``np.where(test, 0.0, grad)``.

    >>> kept_unless(np.array([1.0, np.inf]), np.array([True, False]))
    array([ 0., inf])
    """
    if type(grad) is not np.ndarray or type(test) is not np.ndarray:
        return np.where(test, 0.0, grad)
    if grad.size >= _FEW:
        return kept_if(grad, np.logical_not(test))
    if grad.dtype not in _BITS or test.dtype != bool or test.shape != grad.shape:
        return np.where(test, 0.0, grad)
    part = grad.copy()
    np.putmask(part, test, 0.0)
    return part


def greater_part(grad: Any, x: Any, y: Any) -> Any:
    """Return `grad` where `x` is the greater of the two, half of it at ties, and 0 elsewhere."""
    if isinstance(x, _NUMBERS) and isinstance(y, _NUMBERS) and isinstance(grad, _NUMBERS):
        return 0.0 if x < y else 0.5 * grad if x == y else grad  # first, since loops over lists ask
    for value in (grad, x, y):
        if records(value):
            return hand_over(greater_part, value, (grad, x, y))
    if isinstance(x, _NUMBERS) and isinstance(y, _NUMBERS):
        return 0.0 if x < y else 0.5 * grad if x == y else grad
    if type(grad) is np.ndarray and grad.size < _FEW:
        part = np.where(x < y, 0.0, grad)
        ties = x == y
        return np.where(ties, 0.5 * part, part) if np.count_nonzero(ties) else part
    return _shared(grad, np.logical_not(x < y), x == y)


@recordable
def chosen_part(grad: Any, z: Any, x: Any, y: Any) -> Any:
    """Return `grad` where `z`, chosen from `x` and `y`, is `x`; half of it at ties, else 0."""
    taken = np.logical_or(x == z, np.logical_and(np.isnan(x), np.isnan(z)))
    return _shared(grad, taken, x == y)


def _shared(grad: Any, taken: Any, ties: Any) -> Any:
    """Return `grad` where it is `taken`, half of it at `ties`, and 0 elsewhere."""
    if type(grad) is not np.ndarray or grad.ndim == 0:
        return np.where(taken, np.where(ties, 0.5 * grad, grad), 0.0)
    part = kept_if(grad, taken)
    return np.where(ties, 0.5 * part, part) if np.count_nonzero(ties) else part


def shares(tangent: Any, share: Any) -> Any:
    """Return ``tangent * share``, and 0 where the share is 0, even of what is not finite."""
    return np.where(share == 0, 0.0, tangent * share)


def within(a: Any, low: Any, high: Any) -> Any:
    """Return where `a` is not outside of the bounds, of which either may be None."""
    above = True if low is None else a >= low
    below = True if high is None else a <= high
    return np.logical_and(above, below)


def is_below(a: Any, low: Any, high: Any) -> Any:
    """Return where clipping `a` takes `low`."""
    return np.logical_and(a < low, True if high is None else low <= high)


def is_above(a: Any, low: Any, high: Any) -> Any:
    """Return where clipping `a` takes `high`."""
    return (a if low is None else np.maximum(a, low)) > high


def divide_or_zero(x: Any, y: Any) -> Any:
    """Return ``x / y``, and 0 where `y` is 0."""
    if type(x) is float and type(y) is float:
        return x / y if y != 0 else 0.0
    flat = y == 0
    if type(flat) is np.ndarray and not np.count_nonzero(flat):
        return x / y
    return np.where(flat, 0 * x, x / np.where(flat, 1 + 0 * y, y))


def above_noise(y: Any, a: Any, axis: Any = None, keepdims: bool = False, where: Any = True) -> Any:
    """Return `y`, the spread of numbers, and 0 where it is that of rounding.

    The mean of numbers that are all equal may differ from them in the last bit.

    >>> above_noise(np.std([0.1, 0.1, 0.1]), [0.1, 0.1, 0.1])
    array(0.)
    """
    if not hasattr(y, "dtype") or y.dtype.kind != "f":
        return y
    if where is True:
        size = np.mean(np.abs(a), axis=axis, keepdims=keepdims)
    else:
        number = np.sum(np.broadcast_to(where, np.shape(a)), axis=axis, keepdims=keepdims)
        total = np.sum(np.where(where, np.abs(a), 0), axis=axis, keepdims=keepdims)
        size = total / np.maximum(number, 1)
    return np.where(y > 4 * np.finfo(y.dtype).eps * size, y, 0 * y)


@recordable
def exp_difference(x: Any, z: Any) -> Any:
    """Return ``exp(x - z)`` for x <= z; both may be infinite.

    Of two arguments of `logaddexp` that are -inf each gets half, as of two equal numbers.
    """
    if type(z) is np.ndarray and np.isfinite(z).all():  # to look at it costs less than to select
        return np.exp(x - z)
    same = x == z
    share = np.exp(np.where(same, 0, x) - np.where(same, 0, z))
    return np.where(z == -np.inf, 0.5, share)


def exp2_difference(x: Any, z: Any) -> Any:
    """Return ``2 ** (x - z)`` for x <= z; both may be infinite."""
    return exp_difference(math.log(2) * x, math.log(2) * z)


def sign_flip(x: Any, y: Any) -> Any:
    """Return the slope of ``copysign(x, y)`` in `x`: 0 at 0."""
    return np.sign(x) * np.copysign(1, y)


def only_if(grad: Any, factor: Any, shape: Any) -> Any:
    """Return ``grad * factor`` in the given shape, or None if there is no `grad`."""
    return None if grad is None else unbroadcast(grad * factor, shape)


def divmod_push(x_dot: Any, y_dot: Any, quotient: Any) -> tuple[Any, Any]:
    """Return the tangents of a quotient, 0 between jumps, and of the remainder."""
    constant = 0 * quotient
    moved = constant if x_dot is None else x_dot + constant
    return constant, moved if y_dot is None else moved - quotient * y_dot


def scaled_back(grad: Any, exponent: Any) -> Any:
    """Return ``grad / 2 ** exponent``, or None if there is no `grad`."""
    return None if grad is None else np.ldexp(grad, -exponent)


def angle_slope(z: Any, deg: bool) -> Any:
    """Return the gradient of the angle of `z`: 1j * z / |z|**2 for complex `z`, else 0."""
    if not is_complex(z):
        return 0 * z
    unit = 180 / math.pi if deg else 1.0
    return unit * divide_or_zero(1j * z, np.square(np.real(z)) + np.square(np.imag(z)))


def sinc_slope(x: Any) -> Any:
    """Return the derivative of ``sin(pi x) / (pi x)``, by its series where that is more precise."""
    t = math.pi * x
    small = np.absolute(t) < 0.1
    safe = np.where(small, 1 + 0 * t, t)
    square = t * t
    series = t * (-1 / 3 + square * (1 / 30 + square * (-1 / 840 + square / 45360)))
    return math.pi * np.where(small, series, (np.cos(safe) - np.sin(safe) / safe) / safe)


@recordable
def bessel_i1(x: Any) -> Any:
    """Return the modified Bessel function of order 1.

    Its ratio to that of order 0 is the continued fraction x / (2 + x**2 / (4 + x**2 / (6 + ...)))
    (DLMF 10.33.1), whose term of order k adds about exp(-k**2 / x) to it.
    """
    x = x if hasattr(x, "dtype") else np.asarray(x)
    ratio = 0 * x
    for order in range(180, 0, -1):  # enough up to 714, from where the functions are infinite
        ratio = x / (2 * order + x * ratio)
    return np.i0(x) * ratio


def bessel_i1_slope(x: Any, y: Any) -> Any:
    """Return the derivative of ``y = bessel_i1(x)``."""
    return np.i0(x) - bessel_ratio(y, x)


def bessel_ratio(y: Any, x: Any) -> Any:
    """Return ``y / x`` for a Bessel function `y` of order 1, which is 1 / 2 at 0."""
    flat = x == 0
    return np.where(flat, 0.5, y / np.where(flat, 1 + 0 * x, x))
