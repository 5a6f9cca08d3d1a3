"""Adjoints of convolutions and of functions of polynomials."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from srcgrad.runtime.broadcasting import unbroadcast
from srcgrad.runtime.complex_parts import conj


def full_grad(grad: Any, count: int, mode: str, shortest: int) -> Any:
    """Return `grad` with zeros where ``np.convolve`` has cut a result to its middle."""
    missing = count - len(grad)
    if mode == "full" or missing == 0:
        return grad
    start = (shortest - 1) // 2
    return np.pad(grad, (start, missing - start))


def convolve_part(grad: Any, wanted: Any, other: Any, mode: str) -> Any:
    """Return the gradient of one factor of a convolution, which may be exchanged."""
    sizes = (np.size(wanted), np.size(other))
    if mode == "valid":  # the zeros in place of what was cut would cost more than the rest
        turned = conj(np.ravel(other))[::-1]
        found = np.convolve(grad, turned, "full" if sizes[0] >= sizes[1] else "valid")
        return np.reshape(found, np.shape(wanted))
    full = full_grad(grad, sum(sizes) - 1, mode, min(sizes))
    return np.reshape(np.correlate(full, np.ravel(other), "valid"), np.shape(wanted))


def polymul_part(grad: Any, wanted: Any, other: Any) -> Any:
    """Return the gradient of one factor of a product of polynomials, which may be exchanged.

    NumPy leaves zeros in front of the product away.
    """
    missing = np.size(wanted) + np.size(other) - 1 - len(grad)
    return convolve_part(np.pad(grad, (missing, 0)) if missing else grad, wanted, other, "full")


def correlate_back(grad: Any, a: Any, v: Any, mode: str) -> tuple[Any, Any]:
    """Return the gradients of both arguments of ``np.correlate``: a convolution with v reversed."""
    turned = conj(v)[::-1]
    sizes = (np.size(a), np.size(v))
    if mode == "same" and sizes[0] < sizes[1]:  # NumPy exchanges them, which shifts an even middle
        swapped_v, swapped_a = correlate_back(conj(grad)[::-1], v, a, mode)
        return swapped_a, swapped_v
    if mode == "valid":
        grad_a = convolve_part(grad, a, turned, mode)
        return grad_a, conj(convolve_part(grad, turned, a, mode))[::-1]
    full = full_grad(grad, sum(sizes) - 1, mode, min(sizes))
    grad_a = np.correlate(full, turned, "valid")
    grad_v = conj(np.correlate(full, a, "valid"))[::-1]
    return grad_a, grad_v


def coefficients(p: Any) -> Any:
    """Return the coefficients of a polynomial, which a `poly1d` lists the other way round."""
    return getattr(p, "coeffs", p)


def polyval_left(grad: Any, p: Any, x: Any) -> Any:
    """Return the gradient of the coefficients of a polynomial from that of its values.

    Coefficients that are arrays themselves are broadcast against the points.
    """
    p = coefficients(p)
    terms, power, shape = [], 1 + 0 * x, np.shape(p)[1:]
    for _ in range(len(p)):
        terms.append(unbroadcast(grad * conj(power), shape))
        power = power * x
    return np.stack(terms[::-1]) if terms else np.zeros_like(p)


def polyval_slope(p: Any, x: Any) -> Any:
    """Return the slope of a polynomial, also where its coefficients are arrays themselves."""
    p = coefficients(p)
    count = len(p)
    slope = 0 * x
    for place in range(count - 1):
        slope = slope * x + (count - 1 - place) * p[place]
    return slope


def polyval_right(grad: Any, p: Any, x: Any) -> Any:
    """Return the gradient of the points at which a polynomial was evaluated."""
    return unbroadcast(grad * conj(polyval_slope(p, x)), np.shape(x))


def last_part(grad: Any, shape: Any) -> Any:
    """Return the last coefficients of a polynomial, in the given shape."""
    count = math.prod(shape)
    return np.reshape(grad[len(grad) - count :], shape)


def polyder_back(grad: Any, shape: Any, m: int) -> Any:
    """Return the adjoint of a derivative of a polynomial."""
    count = math.prod(shape)
    part = grad * np.polyder(np.ones_like(grad, shape=(count,)), m)
    return np.reshape(np.pad(part, (0, count - len(part))), shape)


def polyint_back(grad: Any, shape: Any, m: int) -> Any:
    """Return the adjoint of an integral of a polynomial, whose constants are not variables."""
    count = math.prod(shape)
    factors = np.polyint(np.ones_like(grad, shape=(count,)), m)
    return np.reshape(grad[:count] * factors[:count], shape)


def polyint_push(p_dot: Any, m: int) -> Any:
    """Return the tangent of an integral of a polynomial, which its constants have no part in."""
    return np.polyint(p_dot, m)
