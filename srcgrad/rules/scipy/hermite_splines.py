"""Interpolation by cubic pieces with given slopes, differentiated in values, slopes and points.

Those of ``PchipInterpolator`` and ``Akima1DInterpolator`` are chosen from the values as SciPy does.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import interpolate

from srcgrad.rules.equivalents.registry import EquivalentTable, in_place, written_out
from srcgrad.rules.scipy import interpolation
from srcgrad.runtime import stop_gradient
from srcgrad.runtime.scipy.interpolation import bspline, spline_basis
from srcgrad.runtime.scipy.pieces import check_row, pieces_of, refuse_options

RULES = interpolation
"""The rule of the splines that these are made of, which is read with them."""

table = EquivalentTable()


@written_out
def cubic(knots: Any, values: Any, slopes: Any, x: Any) -> Any:
    """Return what cubic pieces say at points."""
    left = pieces_of(knots, stop_gradient(x))
    width = knots[left + 1] - knots[left]
    t = (x - knots[left]) / width
    low = (1 + 2 * t) * (1 - t) ** 2 * values[left] + t * (1 - t) ** 2 * width * slopes[left]
    high = t * t * (3 - 2 * t) * values[left + 1] - t * t * (1 - t) * width * slopes[left + 1]
    return low + high


@written_out
def cubic_slope(knots: Any, values: Any, slopes: Any, x: Any) -> Any:
    """Return the derivative of cubic pieces at points."""
    left = pieces_of(knots, stop_gradient(x))
    width = knots[left + 1] - knots[left]
    t = (x - knots[left]) / width
    rise = 6 * t * (1 - t) * (values[left + 1] - values[left]) / width
    return rise + (1 - t) * (1 - 3 * t) * slopes[left] + t * (3 * t - 2) * slopes[left + 1]


@written_out
def end_slope(near: Any, far: Any, first: Any, second: Any) -> Any:
    """Return the slope at an end that keeps the shape."""
    slope = ((2 * near + far) * first - near * second) / (near + far)
    if np.sign(slope) != np.sign(first):
        slope = 0 * slope
    elif np.sign(first) != np.sign(second) and np.abs(slope) > 3 * np.abs(first):
        slope = 3 * first
    return slope


@written_out
def monotone_slopes(knots: Any, values: Any) -> Any:
    """Return slopes between which no piece leaves the values."""
    widths = np.diff(knots)
    rises = np.diff(values) / widths
    if len(knots) == 2:
        return np.concatenate([rises, rises])
    before, behind = 2 * widths[1:] + widths[:-1], widths[1:] + 2 * widths[:-1]
    same = rises[1:] * rises[:-1] > 0
    low, high = np.where(same, rises[:-1], 1.0), np.where(same, rises[1:], 1.0)
    inner = np.where(same, (before + behind) / (before / low + behind / high), 0.0)
    first = end_slope(widths[0], widths[1], rises[0], rises[1])
    last = end_slope(widths[-1], widths[-2], rises[-1], rises[-2])
    return np.concatenate([np.stack([first]), inner, np.stack([last])])


@written_out
def akima_slopes(knots: Any, values: Any) -> Any:
    """Return slopes that a far value has no part in."""
    rises = np.diff(values) / np.diff(knots)
    if len(knots) == 2:
        return np.concatenate([rises, rises])
    before = np.stack([3 * rises[0] - 2 * rises[1], 2 * rises[0] - rises[1]])
    behind = np.stack([2 * rises[-1] - rises[-2], 3 * rises[-1] - 2 * rises[-2]])
    wide = np.concatenate([before, rises, behind])
    turns = np.abs(np.diff(wide))
    both = turns[2:] + turns[:-2]
    known = both > 1e-9 * np.max(both)
    share = turns[:-2] / np.where(known, both, 1.0)
    bent = wide[1:-2] + share * (wide[2:-1] - wide[1:-2])
    return np.where(known, bent, (wide[3:] + wide[:-3]) / 2)


class CubicPieces:
    """An object that interpolates by cubic pieces."""

    __srcgrad_written_out__ = True

    def __init__(self, knots: Any, values: Any, slopes: Any, ends: bool) -> None:
        self.x = knots
        self.values = values
        self.slopes = slopes
        self.ends = ends

    def __call__(self, x: Any, nu: int = 0) -> Any:
        """Return values at points, or the first derivative."""
        if nu == 0:
            found = cubic(self.x, self.values, self.slopes, x)
        else:
            refuse_options(nu)
            found = cubic_slope(self.x, self.values, self.slopes, x)
        if self.ends:
            found = np.where((x >= self.x[0]) & (x <= self.x[-1]), found, np.nan)
        return found


@written_out
def monotone(x: Any, y: Any) -> Any:
    """Make what stands for a `PchipInterpolator`."""
    check_row(np.shape(y))
    return CubicPieces(1.0 * x, 1.0 * y, monotone_slopes(x, y), False)


@written_out
def akima(x: Any, y: Any) -> Any:
    """Make what stands for an `Akima1DInterpolator`."""
    check_row(np.shape(y))
    return CubicPieces(1.0 * x, 1.0 * y, akima_slopes(x, y), True)


@table.of(interpolate.pchip_interpolate)
def pchip_interpolate(xi: Any, yi: Any, x: Any) -> Any:
    """Return values at points."""
    check_row(np.shape(yi))
    return cubic(xi, yi, monotone_slopes(xi, yi), x)


@table.of(interpolate.CubicHermiteSpline)
def hermite(x: Any, y: Any, dydx: Any) -> Any:
    """Make an object of values and slopes."""
    check_row(np.shape(y))
    return CubicPieces(1.0 * x, 1.0 * y, 1.0 * dydx, False)


class Splines:
    """What `BSpline` makes."""

    __srcgrad_written_out__ = True

    def __init__(self, t: Any, c: Any, k: int) -> None:
        self.t = t
        self.c = c
        self.k = k

    def __call__(self, x: Any, nu: int = 0) -> Any:
        """Return values at points, or derivatives."""
        return bspline(self.t, self.c, self.k, x, nu)


@table.of(interpolate.BSpline)
def splines(t: Any, c: Any, k: int) -> Any:
    """Make an object of knots and coefficients."""
    check_row(np.shape(c))
    return Splines(t, 1.0 * c, k)


@table.of(interpolate.splev)
def splev(x: Any, tck: Any, der: int = 0) -> Any:
    """Return values at points, or derivatives."""
    t, c, k = tck
    return bspline(t, c, k, x, der)


@table.of(interpolate.bisplev)
def bisplev(x: Any, y: Any, tck: Any, dx: int = 0, dy: int = 0) -> Any:
    """Return values over a grid, along one line of it, or at one point."""
    tx, ty, c, kx, ky = tck
    across = spline_basis(tx, kx, np.atleast_1d(x), dx)
    along = spline_basis(ty, ky, np.atleast_1d(y), dy)
    whole = across @ np.reshape(c, (len(tx) - kx - 1, len(ty) - ky - 1)) @ along.T
    if len(whole) > 1:
        return whole
    return whole[0] if len(whole[0]) > 1 else whole[0, 0]


class Polynomials:
    """What `PPoly` makes."""

    __srcgrad_written_out__ = True

    def __init__(self, c: Any, x: Any) -> None:
        self.c = c
        self.x = x

    def __call__(self, x: Any) -> Any:
        """Return values at points."""
        return piecewise_polynomial(self.c, self.x, x)


@written_out
def piecewise_polynomial(c: Any, knots: Any, x: Any) -> Any:
    """Return what the polynomial of the piece of each point says there."""
    left = pieces_of(knots, stop_gradient(x))
    off = x - knots[left]
    found = c[0][left]
    for i in range(1, len(c)):
        found = found * off + c[i][left]
    return found


@table.of(interpolate.PPoly)
def polynomials(c: Any, x: Any) -> Any:
    """Make an object of coefficients and breakpoints."""
    check_row(np.shape(c)[1:])
    return Polynomials(1.0 * c, 1.0 * x)


_IN_PLACE: tuple[Any, ...] = (
    *(hermite, splines, polynomials, monotone, akima, CubicPieces.__init__, CubicPieces.__call__),
    *(Splines.__init__, Splines.__call__, Polynomials.__init__, Polynomials.__call__),
)
for _function in _IN_PLACE:
    in_place(_function)
EQUIVALENTS = table.freeze()
