"""Calculates derivatives of the distribution function of von Mises in its concentration.

They are integrals of the density times how it changes with the concentration (Mardia and Jupp 2000,
3.5.4: by its cosine less the mean of that), taken between 0 and the angle or between the angle and
pi, where nothing cancels. Both are odd and periodic in the angle.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from srcgrad.runtime.dispatch import recordable
from srcgrad.runtime.scipy.parameters import elementwise

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(160)
_UNIT, _SHARES = (_NODES + 1) / 2, _WEIGHTS / 2
_DROP = 45.0
"""How many powers of e below its start a tail may be left out."""


@recordable
def vonmises_slope(kappa: Any, z: Any) -> Any:
    """Return the derivative of ``stats.vonmises.cdf(z, kappa)`` in kappa."""
    return elementwise(lambda kappa, z: _integral(kappa, z, _slope), kappa, z)


@recordable
def vonmises_curve(kappa: Any, z: Any) -> Any:
    """Return the second derivative of ``stats.vonmises.cdf(z, kappa)`` in kappa."""
    return elementwise(lambda kappa, z: _integral(kappa, z, _bend), kappa, z)


def _integral(kappa: Any, z: Any, factor: Any) -> Any:
    around = z - 2 * np.pi * np.round(z / (2 * np.pi))
    angle = np.abs(around)
    ratio = special.i1e(kappa) / special.i0e(kappa)
    inner = np.cos(angle) > ratio
    with np.errstate(all="ignore"):
        least = np.maximum(np.cos(angle) - _DROP / kappa, -1.0)
    start = np.where(inner, 0.0, angle)
    length = np.where(inner, angle, np.arccos(least) - angle)
    t = start + length * _UNIT
    # cos(t) - 1 without cancelling
    size = np.exp(-2 * kappa * np.sin(t / 2) ** 2) / (2 * np.pi * special.i0e(kappa))
    total = np.sum(_SHARES * size * factor(kappa, t, ratio), axis=1) * length[:, 0]
    return np.sign(around[:, 0]) * np.where(inner[:, 0], total, -total)


def _slope(kappa: Any, t: Any, ratio: Any) -> Any:  # noqa: ARG001 - as `_bend` is called
    """Return how the logarithm of the density changes with kappa."""
    return _turn(t, ratio)


def _turn(t: Any, ratio: Any) -> Any:
    return (1 - ratio) - 2 * np.sin(t / 2) ** 2


def _bend(kappa: Any, t: Any, ratio: Any) -> Any:
    """Return how the density changes twice, over the density."""
    turn = _turn(t, ratio)
    safe = np.where(kappa > 1e-4, kappa, 1.0)
    slope = np.where(kappa > 1e-4, 1 - ratio / safe - ratio * ratio, 0.5 - 3 * kappa**2 / 16)
    far = 1 / np.maximum(kappa, 300)  # from here on by the asymptotic series of the ratio
    series = far**2 / 2 + far**3 / 4 + 3 * far**4 / 8 + 25 * far**5 / 32
    return turn * turn - np.where(kappa > 300, series, slope)
