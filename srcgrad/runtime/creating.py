"""Adjoints of functions that make arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.runtime.broadcasting import unbroadcast
from srcgrad.runtime.complex_parts import conj
from srcgrad.runtime.dispatch import beside, recordable


def result_dtype(a: Any) -> Any:
    """Return the type that ``np.full_like(a, ...)`` has."""
    return getattr(a, "dtype", None) or np.result_type(a)


@recordable
def cast_back(grad: Any, shape: Any, dtype: Any) -> Any:
    """Return the adjoint of a conversion to `dtype`, of which one to integers is constant."""
    if dtype is not None and np.dtype(dtype).kind not in "fcO":
        grad = 0 * grad
    return grad if np.shape(grad) == shape else np.reshape(grad, shape)


@recordable
def cast_push(tangent: Any, dtype: Any, copy: bool = True) -> Any:
    """Return the tangent of ``x.astype(dtype)``, in memory of its own where that is."""
    if np.dtype(dtype).kind not in "fcO":
        return 0 * tangent
    return tangent.astype(dtype, copy=copy) if hasattr(tangent, "astype") else 1 * tangent


def linspace_back(
    grad: Any, grad_step: Any, shapes: Any, num: int, endpoint: bool, axis: int
) -> tuple[Any, Any]:
    """Return the gradients of the two ends of ``np.linspace``."""
    gaps = num - 1 if endpoint else num
    grad_start: Any = 0.0
    grad_stop: Any = 0.0
    if grad is not None:
        rows = np.moveaxis(grad, axis, 0)
        ramp = np.arange(num).astype(rows.dtype) / max(gaps, 1)
        to_stop = np.tensordot(beside(ramp, rows), rows, axes=1)
        grad_start, grad_stop = np.sum(rows, axis=0) - to_stop, to_stop
    if grad_step is not None and gaps > 0:
        grad_start = grad_start - grad_step / gaps
        grad_stop = grad_stop + grad_step / gaps
    return _fit(grad_start, shapes[0]), _fit(grad_stop, shapes[1])


def steps_between(start: Any, stop: Any, num: int, endpoint: bool) -> Any:
    """Return the distance of the points that ``np.linspace`` makes."""
    gaps = num - 1 if endpoint else num
    return (stop - start) / gaps if gaps > 0 else 0 * (stop - start)


def _fit(grad: Any, shape: Any) -> Any:
    """Bring the gradient of an end to its shape."""
    return grad if np.shape(grad) == shape else unbroadcast(grad, shape)


def logspace_back(grad: Any, values: Any, shapes: Any, options: Any) -> tuple[Any, ...]:
    """Return the gradients of both exponents of ``np.logspace`` and of its base."""
    start, stop, base, y = values
    num, endpoint, axis = options
    inner = grad * conj(y * np.log(base))
    grad_start, grad_stop = linspace_back(inner, None, shapes, num, endpoint, axis)
    exponents = np.linspace(start, stop, num, endpoint, axis=axis)
    grad_base = unbroadcast(grad * conj(y * exponents / base), np.shape(base))
    return grad_start, grad_stop, grad_base


def _spread(start: Any, stop: Any, shapes: Any, options: Any) -> Any:
    """Return ``np.linspace(start, stop)`` in the shape that ends of these shapes give."""
    num, endpoint, axis = options
    like = np.zeros(np.broadcast_shapes(*shapes))
    start = like if start is None else start + like
    return np.linspace(start, like if stop is None else stop + like, num, endpoint, axis=axis)


def logspace_push(dots: Any, values: Any, options: Any) -> Any:
    """Return the tangent of ``np.logspace`` from those of its exponents and its base."""
    (start_dot, stop_dot, base_dot), (start, stop, base, y) = dots, values
    shapes = np.shape(start), np.shape(stop)
    total = np.log(base) * _spread(start_dot, stop_dot, shapes, options)
    if base_dot is not None:
        total = total + _spread(start, stop, shapes, options) * base_dot / base
    return y * total


def geomspace_push(dots: Any, values: Any, options: Any) -> Any:
    """Return the tangent of ``np.geomspace`` from those of its ends."""
    (start_dot, stop_dot), (start, stop, y) = dots, values
    first = None if start_dot is None else start_dot / start
    last = None if stop_dot is None else stop_dot / stop
    return y * _spread(first, last, (np.shape(start), np.shape(stop)), options)


def arange_back(grad: Any, stop: Any) -> tuple[Any, Any, Any]:
    """Return the gradients of start, stop and step of ``np.arange``."""
    steps = np.sum(grad * beside(np.arange(len(grad)), grad))
    if stop is None:  # the only argument was the stop
        return 0 * steps, None, steps
    return np.sum(grad), 0 * steps, steps


def vander_back(grad: Any, x: Any, increasing: bool) -> Any:
    """Return the gradient of the points of a Vandermonde matrix."""
    return np.sum(grad * conj(_vander_slopes(grad, x, increasing)), axis=-1)


def vander_push(x_dot: Any, x: Any, y: Any, increasing: bool) -> Any:
    """Return the tangent of the Vandermonde matrix `y` of points."""
    return np.expand_dims(x_dot, -1) * _vander_slopes(y, x, increasing)


def _vander_slopes(y: Any, x: Any, increasing: bool) -> Any:
    count = np.shape(y)[-1]
    powers = beside(np.arange(count) if increasing else np.arange(count)[::-1], y)
    return powers * np.power(np.expand_dims(x, -1), np.maximum(powers - 1, 0))


def astype(
    x: Any,
    dtype: Any,
    order: Any = "K",
    casting: Any = "unsafe",
    subok: bool = True,
    copy: bool = True,
) -> Any:
    """Return ``x.astype(dtype, ...)``: the method of an array as a function."""
    return x.astype(dtype, order=order, casting=casting, subok=subok, copy=copy)


def flatten(x: Any, order: Any = "C") -> Any:
    """Return ``x.flatten(order)``: always a copy, which `np.ravel` need not be."""
    return x.flatten(order)
