"""Adjoints of functions of Python's own numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from srcgrad.backends import ARRAYS
from srcgrad.runtime.adjoints import zeros_like
from srcgrad.runtime.broadcasting import unbroadcast
from srcgrad.runtime.complex_parts import conj
from srcgrad.runtime.copies import copied
from srcgrad.runtime.dispatch import recordable


def sign(x: Any) -> Any:
    """Return -1.0, 0.0 or 1.0, or for a complex number the one of its direction."""
    return number_sign(x) if type(x) is float else np.sign(x)


def number_sign(x: float) -> float:
    """Return -1.0, 0.0 or 1.0, the sign of a Python number."""
    return 1.0 if x > 0 else -1.0 if x < 0 else 0.0 * x


def as_shape(grad: Any, shape: Any) -> Any:
    """Return the number `grad` in a shape of one element."""
    return np.reshape(grad, shape) if shape else grad


def divided_each(grad: Any, numbers: Sequence[Any], length: Any) -> tuple[Any, ...]:
    """Return ``grad * x / length`` for each of several numbers; 0 if the length is 0."""
    return tuple(grad * x / length if length else 0.0 * grad for x in numbers)


def dist_back(grad: Any, p: Any, q: Any, distance: Any) -> tuple[Any, Any]:
    """Return the gradients of two points of which the distance was taken."""
    gaps = [a - b for a, b in zip(p, q, strict=True)]
    of_p = divided_each(grad, gaps, distance)
    return as_given(of_p, p), as_given(tuple(-part for part in of_p), q)


def as_given(parts: tuple[Any, ...], items: Any) -> Any:
    """Return the gradients of the items of an array as an array."""
    if isinstance(items, (list, tuple)) or not parts:
        return parts
    return np.reshape(np.stack(parts), np.shape(items))


def hypot_push(dots: Sequence[Any], coordinates: Sequence[Any], length: Any) -> Any:
    """Return the tangent of the length of a vector; None stands for a tangent of zero."""
    pairs = zip(dots, coordinates, strict=True)
    moved = sum(dot * x for dot, x in pairs if dot is not None)
    return moved / length if length else 0.0 * moved


def dist_push(dots: tuple[Any, Any], p: Any, q: Any, distance: Any) -> Any:
    """Return the tangent of the distance of two points; None stands for zeros."""
    p_dot, q_dot = ([0.0] * len(p) if dot is None else dot for dot in dots)
    pairs = list(zip(p_dot, q_dot, strict=True))
    gaps = [a - b for a, b in zip(p, q, strict=True)]
    moved = [(0.0 if a is None else a) - (0.0 if b is None else b) for a, b in pairs]
    return hypot_push(moved, gaps, distance)


def repeated(grad: Any, shapes: Sequence[Any]) -> tuple[Any, ...]:
    """Return `grad` for each item of a sum, in its shape; no two share memory."""
    return tuple(copied(unbroadcast(grad, shape)) for shape in shapes)


def product_back(grad: Any, items: Sequence[Any], start: Any) -> tuple[Any, Any]:
    """Return the gradients of the items of a product, and of what it started from."""
    before = [start]
    for item in items:
        before.append(before[-1] * item)
    after, parts = grad, []
    for item, product in zip(reversed(items), reversed(before[:-1]), strict=True):
        parts.append(conj(product) * after)
        after = after * conj(item)
    return as_given(tuple(reversed(parts)), items), after


def shared_each(grad: Any, args: Sequence[Any], extreme: Any) -> tuple[Any, ...]:
    """Give `grad` to the arguments, or the items of the only one, that are the `extreme`.

    Of equal numbers each has its share; of equal rows of numbers Python takes the first.
    """
    args = tuple(args) if isinstance(args, ARRAYS) else args  # given by a star
    if len(args) == len(("x", "y")) and isinstance(extreme, float):
        is_first, is_second = bool(args[0] == extreme), bool(args[1] == extreme)
        if is_first is not is_second:  # the usual case
            return (grad, 0.0 * grad) if is_first else (0.0 * grad, grad)
        if is_first:  # as at the edges of tables, which hold the same number
            return 0.5 * grad, 0.5 * grad
    elif len(args) > 1 and isinstance(extreme, float) and args.count(extreme) == 1:
        shares = [0.0 * grad] * len(args)
        if not math.isnan(extreme):
            shares[args.index(extreme)] = grad
        return tuple(shares)
    items: Any = args[0] if len(args) == 1 else args
    if isinstance(extreme, (list, tuple)):
        first = next(i for i, item in enumerate(items) if item == extreme)
        rows = [grad if i == first else zeros_like(item) for i, item in enumerate(items)]
        return (rows,) if len(args) == 1 else tuple(rows)
    if isinstance(items, ARRAYS) and items.ndim == 1:
        equal = items == extreme
        return (np.where(equal, grad / (np.sum(equal) or 1), 0.0 * grad),)
    chosen = [bool(item == extreme) for item in items]
    share = grad / (sum(chosen) or 1)
    parts = [share if one else 0.0 * grad for one in chosen]
    return (parts,) if len(args) == 1 else tuple(parts)


@recordable
def digamma(x: Any) -> Any:
    """Return the derivative of the logarithm of the gamma function, for a number.

    Reflected for x < 0, shifted above 10 by its recurrence, then by its asymptotic series
    (Abramowitz and Stegun, 6.3.6, 6.3.7 and 6.3.18).
    """
    if x <= 0:
        return digamma(1 - x) - math.pi / math.tan(math.pi * x)
    total = 0.0
    while x < 10:
        total -= 1 / x
        x = x + 1  # not in place: x may be an array of the caller
    t = 1 / (x * x)
    tail = t * (1 / 12 - t * (1 / 120 - t * (1 / 252 - t * (1 / 240 - t * (1 / 132)))))
    return total + math.log(x) - 0.5 / x - tail


@recordable
def trigamma(x: Any) -> Any:
    """Return the derivative of `digamma`, in the same way."""
    if x <= 0:
        return (math.pi / math.sin(math.pi * x)) ** 2 - trigamma(1 - x)
    total = 0.0
    while x < 10:
        total += 1 / (x * x)
        x = x + 1  # not in place: x may be an array of the caller
    t = 1 / (x * x)
    tail = t * (1 / 6 - t * (1 / 30 - t * (1 / 42 - t * (1 / 30 - t * (5 / 66)))))
    return total + (1 + tail) / x + t / 2


_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6)


@recordable
def polygamma(n: Any, x: Any) -> Any:
    """Return the derivative of order n of `digamma`, for a number.

    Reflected for x < 0, shifted above 10 + n by its recurrence, then by its asymptotic series
    (Abramowitz and Stegun, 6.4.7, 6.4.6 and 6.4.11).
    """
    sign = (-1) ** n
    if x <= 0:
        return sign * polygamma(n, 1 - x) - math.pi ** (n + 1) * _cotangent(n, x)
    total = 0.0
    while x < 10 + n:
        total += math.factorial(n) / x ** (n + 1)
        x = x + 1  # not in place: x may be an array of the caller
    total += math.factorial(n - 1) / x**n + math.factorial(n) / (2 * x ** (n + 1))
    for k, number in enumerate(_BERNOULLI, 1):
        size = math.factorial(2 * k + n - 1) / math.factorial(2 * k)
        total += number * size / x ** (2 * k + n)
    return -sign * total


def _cotangent(n: int, x: float) -> float:
    """Return the derivative of order n of ``cot(pi * x)``, over ``pi**n``: a polynomial in it."""
    powers = np.polynomial.Polynomial([0.0, 1.0])
    for _ in range(n):
        powers = powers.deriv() * np.polynomial.Polynomial([-1.0, 0.0, -1.0])
    return float(powers(1 / math.tan(math.pi * x)))


def rect_push(r_dot: Any, phi_dot: Any, r: Any, phi: Any) -> Any:
    """Return the tangent of ``cmath.rect(r, phi)``; None stands for a tangent of zeros."""
    turn = np.exp(1j * phi)
    along = 0.0 * turn if r_dot is None else r_dot * turn
    return along if phi_dot is None else along + phi_dot * (1j * r * turn)
