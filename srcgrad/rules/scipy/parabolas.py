"""Integrals of samples by Simpson's and Romberg's rules, which are written out with others."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import integrate

from srcgrad.rules.equivalents.registry import EquivalentTable, written_out
from srcgrad.runtime.scipy.integrals import near_and_far

table = EquivalentTable()


@written_out
def shares(own: Any, other: Any) -> tuple[Any, Any, Any]:
    """Return how much of three samples the integral over one interval of their parabola takes.

    They are the one at the end of the interval, the one in the middle, and the far one, which is
    subtracted (Cartwright 2017, equation 8).
    """
    both = own + other
    near = (2 * own**2 + 3 * own * other) / (6 * both)
    return near, (own**2 + 3 * own * other) / (6 * other), own**3 / (6 * other * both)


@written_out
def between_samples(y: Any, x: Any, dx: Any, axis: int) -> Any:
    """Return the integral between each two neighbours, along the last axis.

    It is that of the parabola through both and one more: the next one for each first of a pair of
    intervals, else the one before.
    """
    rows = np.moveaxis(y, axis, -1)
    count = rows.shape[-1]
    if x is None:
        gaps = np.moveaxis(dx, axis, -1) if np.ndim(dx) else dx
        gaps = gaps * np.ones(count - 1)
    else:
        gaps = np.diff(x if np.ndim(x) == 1 else np.moveaxis(x, axis, -1))
    if count < 3:
        return gaps / 2 * (rows[..., 1:] + rows[..., :-1])
    outer, near, middle, far = near_and_far(count)
    of_near, of_middle, of_far = shares(gaps, gaps[..., outer])
    return of_near * rows[..., near] + of_middle * rows[..., middle] - of_far * rows[..., far]


@table.of(integrate.simpson)
def simpson(y: Any, x: Any = None, *, dx: Any = 1.0, axis: int = -1) -> Any:
    """Return the integral of samples along an axis: by a parabola for each pair of intervals.

    An interval that is left over at the end takes the parabola through the last three samples.
    """
    rows = np.moveaxis(y, axis, -1)
    count = rows.shape[-1]
    if count < 3:
        return np.sum(between_samples(y, x, dx, axis), axis=-1)
    paired = count - 1 + count % 2
    if x is None:
        first, second, own, other = dx, dx, dx, dx
    else:
        gaps = np.diff(x if np.ndim(x) == 1 else np.moveaxis(x, axis, -1))
        first, second = gaps[..., 0 : paired - 1 : 2], gaps[..., 1 : paired - 1 : 2]
        own, other = gaps[..., -1], gaps[..., -2]
    both = first + second
    left, right = 2 - second / first, 2 - first / second
    middle = both**2 / (first * second)
    parts = left * rows[..., 0 : paired - 2 : 2] + right * rows[..., 2:paired:2]
    parts = both / 6 * (parts + middle * rows[..., 1:paired:2])
    total = np.sum(parts, axis=-1)
    if paired == count:
        return total
    of_near, of_middle, of_far = shares(own, other)
    return total + of_near * rows[..., -1] + of_middle * rows[..., -2] - of_far * rows[..., -3]


@table.of(integrate.cumulative_simpson)
def cumulative_simpson(
    y: Any, *, x: Any = None, dx: Any = 1.0, axis: int = -1, initial: Any = None
) -> Any:
    """Return the running integral of samples along an axis."""
    if x is not None and np.any(np.diff(x, axis=axis if np.ndim(x) > 1 else 0) <= 0):
        raise ValueError("Input x must be strictly increasing.")
    sums = np.cumsum(between_samples(y, x, dx, axis), axis=-1)
    if initial is not None:
        start = np.moveaxis(initial, axis, -1) if np.ndim(initial) else initial
        start = start * np.ones_like(sums[..., :1])
        sums = np.concatenate([start, sums + start], axis=-1)
    return np.moveaxis(sums, -1, axis)


@table.of(integrate.romb)
def romb(y: Any, dx: Any = 1.0, axis: int = -1) -> Any:
    """Return the integral of samples along an axis, whose number is one more than a power of 2."""
    rows = np.moveaxis(y, axis, -1)
    gaps = rows.shape[-1] - 1
    if gaps < 1 or gaps & (gaps - 1):
        raise ValueError("Number of samples must be one plus a non-negative power of 2.")
    ends = (rows[..., 0] + rows[..., -1]) / 2
    steps = [gaps >> power for power in range(gaps.bit_length())]
    sums = np.stack([step * (np.sum(rows[..., ::step], axis=-1) - ends) for step in steps])
    for power in range(1, len(steps)):
        sums = sums[1:] + (sums[1:] - sums[:-1]) / (4**power - 1)
    return dx * sums[0]


EQUIVALENTS = table.freeze()
