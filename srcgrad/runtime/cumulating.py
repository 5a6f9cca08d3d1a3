"""Adjoints of cumulative functions, and products of all elements but one."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from srcgrad.runtime.complex_parts import conj
from srcgrad.runtime.dispatch import beside
from srcgrad.runtime.gathering import put_along_axis

_FEW = 8  # rows that are faster done one by one
_MANY = 256  # rows from which on products of pairs are faster


def cumsum_back(grad: Any, shape: Any, axis: int | None) -> Any:
    """Sum `grad` from the end: the adjoint of a cumulative sum."""
    place = 0 if axis is None else axis
    total = np.flip(np.cumsum(np.flip(grad, place), axis=place), place)
    return np.reshape(total, shape) if axis is None or len(shape) == 0 else total


def tail(grad: Any, initial: bool, axis: int | None) -> Any:
    """Drop the first slice of `grad`, that of the empty sum or product, if there is one."""
    if not initial:
        return grad
    return np.moveaxis(np.moveaxis(grad, axis or 0, 0)[1:], 0, axis or 0)


def cumprod_back(grad: Any, a: Any, axis: int | None) -> Any:
    """Return the adjoint of a cumulative product, without dividing by what may be 0.

    The i-th element is in each later product: with ``s[i] = grad[i] + a[i + 1] * s[i + 1]`` its
    gradient is s[i] times the product of the elements before it.
    """
    if axis is None or np.ndim(a) == 0:
        flat = cumprod_back(grad, np.reshape(a, (-1,)), 0)
        return np.reshape(flat, np.shape(a))
    rows, factors = np.moveaxis(grad, axis, 0), conj(np.moveaxis(a, axis, 0))
    later = np.concatenate([factors[:1], np.flip(factors[1:], 0)])  # the first counts for nothing
    sums = np.flip(recurrence(np.flip(rows, 0), later), 0)
    return np.moveaxis(exclusive_cumprod(factors) * sums, 0, axis)


def recurrence(rows: Any, factors: Any) -> Any:
    """Return x with ``x[i] = rows[i] + factors[i] * x[i - 1]``, where ``x[0]`` is ``rows[0]``.

    Many rows are done in as many passes as their number has bits: after each pass, a row holds the
    sum of twice as many terms. A product of factors may overflow where x does not, as a term is 0.

    >>> recurrence(np.array([1.0, 0.0, 1.0]), np.array([0.0, 3.0, 2.0]))
    array([1., 3., 7.])
    """
    if len(rows) <= _FEW or not isinstance(rows, np.ndarray):  # elsewhere no number is looked at
        return _row_by_row(rows, factors)
    sums, products = rows, factors
    step = 1
    with np.errstate(over="ignore", invalid="ignore"):
        while step < len(rows):
            sums = np.concatenate([sums[:step], sums[step:] + products[step:] * sums[:-step]])
            products = np.concatenate([products[:step], products[step:] * products[:-step]])
            step *= 2
    return sums if np.isfinite(sums).all() else _row_by_row(rows, factors)


def _row_by_row(rows: Any, factors: Any) -> Any:
    found = [row for row in rows[:1]]  # noqa: C416 - a list of its own to the compiler, too
    for i in range(1, len(rows)):
        found.append(rows[i] + factors[i] * found[-1])
    return np.stack(found) if found else rows


def exclusive_cumprod(rows: Any) -> Any:
    """Return the product of all rows before each one, which is 1 for the first."""
    ones = np.ones_like(rows[:1])
    return np.concatenate([ones, np.cumprod(rows[:-1], axis=0)])


def others_product(a: Any, axis: Any) -> Any:
    """Return, for each element of `a`, the product of the others along `axis`."""
    shape = np.shape(a)
    axes = (
        tuple(range(len(shape))) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    )
    if not shape or not axes:
        return np.ones_like(a)
    lead = tuple(range(len(axes)))
    moved = np.moveaxis(a, axes, lead)
    rows = np.reshape(moved, (math.prod(moved.shape[: len(axes)]), *moved.shape[len(axes) :]))
    return np.moveaxis(np.reshape(_others(rows), moved.shape), lead, axes)


def _others(rows: Any) -> Any:
    """Return, for each row, the product of the others.

    Many rows are multiplied in pairs, those again, until few are left: the others of a row are the
    others of its pair and its partner.
    """
    levels = [rows]
    while len(levels[-1]) > _MANY:
        top, half = levels[-1], len(levels[-1]) // 2
        levels.append(np.concatenate([top[:half] * top[half : 2 * half], top[2 * half :]]))
    top = levels.pop()
    others = exclusive_cumprod(top) * np.flip(exclusive_cumprod(np.flip(top, 0)), 0)
    for level in reversed(levels):
        half = len(level) // 2
        pairs, last = others[:half], others[half:]
        others = np.concatenate([pairs * level[half : 2 * half], pairs * level[:half], last])
    return others


def running_back(grad: Any, a: Any, y: Any, axis: int) -> Any:
    """Return the adjoint of a running extreme `y`: to the last element that reaches it."""
    rows = np.moveaxis(grad, axis, 0)
    full = put_along_axis(rows, _last_reaching(a, y, axis), np.shape(rows), 0)
    return np.moveaxis(full, 0, axis)


def running_push(dot: Any, a: Any, y: Any, axis: int) -> Any:
    """Return the tangent of a running extreme `y`: that of the last element that reaches it."""
    rows = np.moveaxis(dot, axis, 0)
    return np.moveaxis(np.take_along_axis(rows, _last_reaching(a, y, axis), 0), 0, axis)


def _last_reaching(a: Any, y: Any, axis: int) -> Any:
    """Return the place along an axis of the last element so far that is the running extreme."""
    values, tops = np.moveaxis(a, axis, 0), np.moveaxis(y, axis, 0)
    places = np.reshape(beside(np.arange(len(values)), values), (-1,) + (1,) * (values.ndim - 1))
    reached = np.equal(values, tops)
    return np.maximum.accumulate(np.where(reached, places, 0), axis=0)


def reduceat_back(grad: Any, indices: Any, shape: Any, axis: int) -> Any:
    """Return the adjoint of ``np.add.reduceat``: each element gets the sum of its pieces."""
    count = shape[axis]
    starts = indices if hasattr(indices, "shape") else np.asarray(indices)
    ends = np.append(starts[1:], count)
    ends = np.where(ends > starts, ends, starts + 1)
    places = beside(np.arange(count), starts)
    member = np.logical_and(places >= starts[:, None], places < ends[:, None])
    rows = np.tensordot(
        np.moveaxis(grad, axis, -1), beside(member.astype(grad.dtype), grad), axes=1
    )
    return np.moveaxis(rows, -1, axis)
