"""Programs about numbers and arrays that are not the usual ones: text, infinity, ranges, lists."""

from __future__ import annotations

import math

import numpy as np
from scipy.integrate import quad
from scipy.optimize import newton

from tests.programs.corpus import program

LIMIT = float("inf")
KNOTS = range(3)
FORM = "%.1f"


class Ellipsoid:
    def __init__(self, a, b):
        self.a = a
        self.e = b / a

    @classmethod
    def from_name(cls, name):
        return cls(6.378, 6.356)


def _moved(lat, ellipsoid=None):
    if ellipsoid is None:
        ellipsoid = Ellipsoid.from_name("w")
    return lat * ellipsoid.a


@program("s", "s")
def factors_without_end(x, y):
    """Infinite constants in branches that are not taken."""
    if x > 1e400:
        return x * 1e400 * 3.0
    top = x * y * 1e300 if y > LIMIT else x * (1 / math.inf) + y
    return x * 2 * top + min(x, math.inf)


@program("v")
def printed_on_the_way(x):
    """Text by `%`."""
    shown = "%.15g" % x[0]  # noqa: UP031
    return x[0] * x[1] if shown and FORM % x[1] else x[0]


@program("v", "s")
def lines_by_ranges(x, f):
    """Ranges where arrays are usual."""
    y = np.abs(x) % 2.0
    line = np.interp(y, KNOTS, [f, 2 * f, f * f])
    return (
        np.sum(line)
        + np.interp(f / 2, range(3), range(0, 9, 3))
        + np.average(x, weights=range(1, 5))
    )


@program("s", "s")
def precise_integrals(a, b):
    """Tolerances do not change what is calculated."""
    value, _ = quad(lambda x: b * x * x, 0.0, a, epsabs=1e-12, epsrel=1e-12)
    return value * quad(lambda x, c: c * x, 0.0, a, args=(b,), limit=80)[0]


@program("s", "s", by="tape")
def roots_with_listed_constants(a, b):
    """SciPy hands on what is in the list."""
    found = newton(lambda x, p, q: p * x * x - q - 1.0, 1.0, args=[a, b])
    return found + 0 * eval("a")


@program("s", "s")
def objects_of_one_path(lat, alt, ellipsoid=None):
    """One is made here, and handed on."""
    if ellipsoid is None:
        ellipsoid = Ellipsoid.from_name("w")
    return lat * ellipsoid.e + alt * _moved(lat, ellipsoid)


@program("s", "s", "s")
def taken_apart_again(v, a, b):
    """A name of its own value, and one with a star."""
    given = (v, a, b)
    *given, last = given
    first, *rest = (last, *given)
    return given[0] * given[1] ** 2 * last + first * rest[0]


@program("v", by="tape")
def masks_in_one_array(x):
    """A mask that was written, and its opposite."""
    below = np.full_like(x, False, dtype="bool")
    np.less(x, 0.05, out=below)
    return np.sum(np.array([below, ~below], dtype=int) * x) + 0 * eval("x[0]")


@program("v", by="tape")
def compared_with_whole_numbers(x):
    """Whole numbers among those of a list."""
    values = [x[0], x[1] * 2, 2]
    return sum([v * v for v in values if v > 1e-12]) + 0 * eval("x[0]")


@program("s", "s")
def largest_of_a_display(a, b):
    """Of a list, and of a tuple."""
    return np.amax([a, b * b]) * np.min((a * b, b)) + np.prod([a, b, a])


@program("v")
def axes_for_the_numbers_of_a_vector(x):
    """A number of NumPy's has an index, too; its adjoint is a float."""
    columns = np.asarray([x[0] * 2.0, x[0] * x[1]])
    joined = np.concatenate([c[..., np.newaxis] for c in columns], axis=-1)
    rest = [v[np.newaxis, None] for v in x * x]
    return np.sum(joined * np.array([1.0, 0.7])) + np.sum(np.concatenate(rest, axis=1) ** 2)


@program("s")
def array_without_axes_written_by_its_mask(x):
    y = np.array(x)
    y[y < 1.0] *= 3.0
    y[y > 0.5] += x
    return y * x


@program("s")
def array_without_axes_written_by_masks_of_another(x):
    curve = np.empty(np.shape(x))
    low = x < 0.7
    curve[low] = x / 12.92
    curve[np.logical_not(low)] = ((x + 0.055) / 1.055) ** 2.4
    return curve


@program("s", "s")
def array_without_axes_written_whole(x, y):
    z = np.zeros(())
    z[...] = x * y
    z[()] = z * x
    z[z > 0.0] = z * y
    return np.sum(z)


@program("v")
def mask_like_what_varies(x):
    """A mask that is made like an array, and is written where that is a number."""
    above = np.full_like(x, False, dtype="bool")
    np.greater_equal(x, 0.1, where=~np.isnan(x), out=above)
    return np.sum(np.where(above, x * x, 3.0 * x))


@program("v")
def whole_numbers_like_what_varies(x):
    """Counts in an array that is made like one of floats, and a choice by them."""
    steps = np.full_like(x, 0, dtype=int)
    steps[x > 0.1] = 2
    steps[1:] = np.where(x[1:] > 0.3, steps[:-1], 1)
    return np.sum(steps * x**2)


@program("v")
def mask_like_what_varies_in_a_loop(x):
    """Updated from itself."""
    seen = np.full_like(x, True, bool)
    y = x * 2.0
    for k in range(3):
        seen[...] = np.where(y > 0.2 * k, seen, False)
        y = np.where(seen, y * y, x)
    return np.sum(y)
