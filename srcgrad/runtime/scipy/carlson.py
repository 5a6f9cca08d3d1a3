"""Calculates the integrals that Carlson's elliptic integrals and all their derivatives are.

In the logarithm of t the integrand falls off exponentially at both ends and has no pole near the
axis, so that the sum over equal steps is precise to rounding, also where points are equal: there
the relations between the integrals, as in DLMF 19.18, divide by zero.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.runtime.dispatch import recordable
from srcgrad.runtime.scipy.parameters import elementwise

_WAY = np.linspace(0.0, 1.0, 1025)
_BEYOND = 80.0
"""How many powers of e the sum goes on below the least point and above the greatest."""
_WIDE = 2.4
"""The angle from the positive axis up to which a point leaves the sum precise."""


@recordable
def carlson(  # noqa: PLR0913, PLR0917 - each point has its power
    i: Any, j: Any, k: Any, x: Any, y: Any, z: Any, m: Any = 0, p: Any = 1.0
) -> Any:
    """Return the integral of ``(t + x)**-i * (t + y)**-j * (t + z)**-k * (t + p)**-m`` for t > 0.

    That is a multiple of Carlson's R-function (DLMF 19.16.9) if the powers add up to more than 1.
    It is infinite if points that are 0 have powers of 1 or more together, and NaN at points that
    are negative, or almost.
    """
    named = zip((i, j, k, m), (x, y, z, p), strict=True)
    used = [(power, point) for power, point in named if power]
    powers = [power for power, _ in used]
    return elementwise(lambda *points: _integral(powers, points), *(point for _, point in used))


def _integral(powers: list[float], points: tuple[Any, ...]) -> Any:
    sizes = np.abs(points)
    low = np.min(np.where(sizes > 0, sizes, np.inf), axis=0)
    start, end = np.log(low) - _BEYOND, np.log(np.max(sizes, axis=0)) + _BEYOND
    with np.errstate(all="ignore"):
        t = np.exp(start + (end - start) * _WAY)
        total = 0.0
        for power, point in zip(powers, points, strict=True):
            total = total - power * np.log(t + point)
        whole = np.sum(t * np.exp(total), axis=1) * ((end - start) * _WAY[1])[:, 0]
    pairs = list(zip(powers, points, strict=True))
    steep = sum(power * (point == 0) for power, point in pairs)[:, 0]
    outside = sum(np.abs(np.angle(point)) > _WIDE for _, point in pairs)[:, 0]
    return np.where(outside > 0, np.nan, np.where(steep >= 1, np.inf, whole))
