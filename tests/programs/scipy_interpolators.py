"""Programs that make and call the interpolating objects of SciPy."""

from __future__ import annotations

import numpy as np
from scipy import interpolate
from scipy.interpolate import CubicSpline, RegularGridInterpolator, interp1d

from tests.programs.corpus import program

KNOTS = np.linspace(0.0, 4.0, 9)
TRACK = CubicSpline(KNOTS, np.sin(KNOTS))
TABLE = interp1d(KNOTS, np.exp(-KNOTS), kind="quadratic")
POINTS = np.array([0.3, 1.7, 2.2])


@program(("v", 3))
def height_of_a_track(x):
    """Objects of the module, called with points."""
    x = 2.0 + np.tanh(x)
    y = TRACK(x)
    return np.sum(y * y) + np.sum(TABLE(x)) + TRACK(x[0], 1)


@program(("v", 9))
def curve_through_values(y):
    """An object made of values, called at several places."""
    s = CubicSpline(KNOTS, y)
    return np.sum(s(POINTS) ** 2) + s(0.4) * y[2]


@program(("v", 9), ("v", 3))
def curve_through_values_at_points(y, x):
    """Values and points both."""
    s = interp1d(KNOTS, y, kind="cubic")
    total = 0.0
    for i in range(3):
        point = 2.0 + np.tanh(x[i])
        total += s(point) * np.cos(s(point))
    return total


@program(("v", 9))
def values_that_change_later(y):
    """An object keeps the values that it was made of."""
    z = y * y
    s = interpolate.make_interp_spline(KNOTS, z, k=3)
    z = np.sin(z)
    return np.sum(s(POINTS) * z[:3])


@program(("v", 9))
def values_that_are_written_later(y):
    """The same if the array itself is written."""
    z = np.sin(y)
    s = CubicSpline(KNOTS, z)
    z[2] = y[0] * y[1]
    return s(1.1) * z[2] + s(0.3)


@program(("v", 3))
def curve_through_constants(x):
    """An object made of constants in the function."""
    s = CubicSpline(KNOTS, np.cos(KNOTS), bc_type="natural")
    return np.sum(s(x) * x)


GRID = (np.linspace(0.0, 1.0, 4), np.array([0.0, 0.3, 1.0]))
HELD = RegularGridInterpolator(GRID, np.cos(np.arange(12.0).reshape(4, 3)))


@program(("v", 4), ("v", 3))
def values_on_a_grid(a, b):
    """Values on a grid that vary, points that vary, and an object from outside."""
    grid = RegularGridInterpolator(GRID, np.outer(a, b), bounds_error=False, fill_value=0.2)
    points = np.stack([1 / (1 + a[:3] ** 2), 1 / (2 + b**2)], axis=-1)
    return np.sum(grid(points) ** 2) + np.sum(HELD(points) * b)


@program("v", "s")
def shapes_that_are_kept(x, place):
    """Slopes that are chosen from the values; the object does not see them being written."""
    values = np.cumsum(np.abs(x)) + 0.5 * np.sin(3 * x)
    knots = np.arange(float(len(x)))
    rising = interpolate.PchipInterpolator(knots, values)
    bent = interpolate.Akima1DInterpolator(knots, values)
    values[0] = 7.0
    slope = rising(place, 1)
    height = rising(place)
    there = bent(np.array([0.3, 1.2]))
    return slope * height + np.sum(there)


@program("v", "s")
def pieces_by_their_coefficients(x, place):
    """Splines and polynomials that are made of numbers, and what is linear in its values."""
    ends = np.array([0.0, 0.0, 0.0, 1.0, 1.0, 1.0])
    s = interpolate.BSpline(ends, np.stack([x[0], x[1], 2.0 * x[0]]), 2)
    height = s(place)
    slope = s(0.3, 1)
    p = interpolate.PPoly(np.stack([x[:2], x[1:3]]), np.array([0.0, 0.4, 1.0]))
    level = p(0.5 * place)
    through = interpolate.BarycentricInterpolator(KNOTS[:3], x[:3])
    return height * slope + level + through(place)
