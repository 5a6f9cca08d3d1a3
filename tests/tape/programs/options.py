"""Functions of NumPy, SciPy and Python with options, outputs and lists that are seldom given."""

# ruff: noqa: B006, PLW0108, SIM300, NPY201 - as people write them

import cmath
import collections
import math
import operator

import numpy as np
from scipy import integrate, interpolate, optimize

from tests.tape.programs.corpus import program

X = np.array([0.53, 1.71])
A = np.array([[2.0, 0.3], [0.2, 1.5]])
K = np.array([0.0, 1.0, 2.0, 3.0])
GRID = interpolate.RegularGridInterpolator((K, K), np.outer(K, K**2))
PCHIP = interpolate.PchipInterpolator(K, K**2)
SPLINE = interpolate.CubicSpline(K, K**3)
TWICE = np.vectorize(lambda a, b=2.0: a * b)
Pair = collections.namedtuple("Pair", "a b")


# -- outputs ---------------------------------------------------------------------------------------


@program(X)
def two_outputs(x):
    part, whole = np.zeros(2), np.zeros(2)
    np.modf(x, out=(part, whole))
    out = np.empty_like(x)
    np.add(x, x * 2, out=out)
    np.negative(out, out)
    return np.sum(part * x) + np.sum(whole * x) + np.sum(out * out)


@program(X)
def output_where_chosen(x):
    out = np.zeros(2)
    np.exp(x, out=out, where=np.array([True, False]), dtype=np.float64)
    return np.sum(out * x)


@program(X)
def orders_of_results(x):
    made = np.multiply(np.outer(x, x), A, order="F")
    return np.sum(made.ravel("K") * np.arange(4.0)) + np.sum(np.divmod(x, 0.3, order="C")[1])


@program(X)
def output_of_another_kind(x):
    whole = np.zeros(2, int)
    try:
        np.add(x, 1, out=whole)
    except TypeError:
        return x[0] * 2.0
    return np.sum(whole)


# -- writes ----------------------------------------------------------------------------------------


@program(X)
def places_along_no_axis(x):
    table = np.outer(x, x)
    np.put_along_axis(table, np.array([0, 3]), x, axis=None)
    return np.sum(table**2)


@program(X)
def lists_put_where_true(x):
    table, other = np.outer(x, x), np.outer(x, x)
    np.place(table, table > 0.8, [x[0], 2.0])
    np.putmask(other, other > 0.8, [x[0], x[1]])
    return np.sum(table**2) + np.sum(other**3)


@program(X)
def lists_put_at_places(x):
    table, diagonal = np.outer(x, x), np.zeros((2, 2))
    np.put(table, [0, 3, 0], [x[0], x[1] * 2])
    np.fill_diagonal(diagonal, [x[0], x[1]])
    return np.sum(table**2) + np.sum(diagonal @ x)


@program(X)
def rows_of_elements_set(x):
    full, part, number = np.zeros((2, 2)), np.array([x, x]), np.zeros((2, 2))
    full.flat = x
    part.flat[1] = x[1] ** 2
    number.flat = x[0]
    weights = np.arange(4.0).reshape(2, 2)
    return np.sum((full + 2.0 * part + number**2) * weights)


@program(X)
def values_with_leading_axes(x):
    row, table = x.copy(), np.zeros((2, 2))
    row[0:2] = x.reshape(1, 2) * 2.0
    row[:] = np.outer([1.0], x) * row
    table[0] = (x * x)[None]
    table[:, 1:] += x[:, None]
    return np.sum(row) + np.sum(table * table)


@program(X)
def choices_beside_what_is_no_number(x):
    with np.errstate(invalid="ignore"):
        root = np.sqrt(x - 1.0)  # of which the first is NaN
    both = np.array([root, x * x])
    return (
        np.sum(np.choose([1, 0], both))
        + np.sum(np.select([x > 1, x <= 1], both))
        + np.sum(np.select([x > 1, x <= 1], [root, x * x]))
        + np.prod(root, where=x > 1)
        + np.max(root, where=x > 1, initial=0.1)
        + np.sum(np.compress(x > 1, root))
        + np.sum(np.take(root, (1,)))
        + np.sum(np.fmax(root, x * 0.1))
        + np.nansum(root)
    )


# -- lists where arrays are meant ------------------------------------------------------------------


@program(X)
def lists_of_rows(x):
    return (
        np.sum(np.concatenate([[x[0], x[1]], x]))
        + np.sum(np.stack(([x[0], 2.0], x)))
        + np.sum(np.dot([x[0], x[1]], x))
        + np.sum(np.hstack(((x[0], x[1]), x)))
        + np.sum(np.block([[x[0], x[1]], [1.0, x[0]]]))
        + np.sum(np.concatenate(Pair([x[0], x[1]], x)))
        + np.linalg.norm([x[0], x[1]])
    )


@program(X)
def ranges_between_brackets(x):
    return (
        np.sum(np.r_[x, 1.0, 0:3] ** 2)
        + np.sum(np.r_[0.5:2.5, x, 0:1:3j] ** 3)
        + np.sum(np.c_[x, 0:2, [1, 2]] ** 2)
        + np.sum(np.r_[[x[0], x[1]]])
        + np.r_[0:2][1] * x[0]
    )


@program(X)
def conversions_of_lists(x):
    return (
        np.sum(np.require([x[0], x[1]], float) ** 2)
        + np.sum(np.require(x, requirements="C"))
        + np.sum(np.require([1.0, 2.0], float) * x)
        + np.sum(np.asarray_chkfinite([x[0], 2.0]))
        + np.ascontiguousarray(x[1]).ndim * x[0]
        + np.asfortranarray(x[1]).ndim * x[1]
    )


# -- selections ------------------------------------------------------------------------------------


@program(X)
def selections_of_lists(x):
    return (
        np.sum(np.select([x > 1, x > 0.2], [x * 2, x * x], default=x[0]))
        + np.sum(np.select([x > 1], [x], 0.5))
        + np.sum(np.choose([0, 1], [x, x * 2]))
        + np.sum(np.choose(np.array([1, 0]), np.array([x, x * 3])))
    )


@program(X)
def reductions_where_true(x):
    there = np.array([[True, False], [True, True]])
    return (
        np.sum(x, where=x > 1)
        + np.sum(np.prod(np.outer(x, x), axis=0, where=there))
        + np.max(x, where=x < 1, initial=0.1)
    )


@program(X)
def kept_and_taken(x):
    table = np.outer(x, x)
    return (
        np.sum(np.compress([True, False], table, axis=1))
        + np.sum(np.extract(x > 1, x))
        + np.sum(np.compress([True, False], x))
        + np.sum(np.take(x, (0, 1, 1)))
        + np.sum(np.take(table, [[0], [1]], axis=1, mode="wrap"))
        + np.sum(np.take(table, -3, mode="clip"))
    )


# -- loops of NumPy over functions of Python -------------------------------------------------------


@program(X)
def vectorized_functions(x):
    return (
        np.sum(TWICE(np.array([1.0, 2.0])) * x)
        + np.sum(TWICE(x))
        + np.sum(TWICE(np.float64(3.0), x))
        + TWICE.otypes.__class__.__name__.count("x") * x[0]
        + np.sum(np.vectorize(lambda a: 3)(x) * x)
        + np.sum(np.vectorize(lambda a, b: a * b)(x, np.array([[1, 2], [3, 4]])))
        + np.sum(np.vectorize(lambda a, b: a**b)(x, np.array([1, 2])))
        + np.sum(np.vectorize(lambda a: int(a * 3))(x) * x)
        + np.sum(np.vectorize(lambda a: a * 1j)(x).imag)
    )


@program(X)
def elements_with_indices(x):
    total = sum(index[0] * value for index, value in np.ndenumerate(x))
    total = total + sum(value for _, value in np.ndenumerate(A)) * x[0]
    total = total + sum(a * b for a, b in np.broadcast(x, A))
    total = total + sum(a * b for a, b in np.broadcast(A, 2.0)) * x[0]
    return total + np.broadcast(x, A).shape[0] * x[1] + np.broadcast(A, A[0]).size * x[1]


@program(X)
def rows_along_an_axis(x):
    table = np.apply_along_axis(lambda row: row * row.sum(), 0, np.outer(x, x))
    return np.sum(table) + np.sum(np.apply_along_axis(np.sum, 1, A) * x)


# -- numbers of Python -----------------------------------------------------------------------------


@program(X)
def whole_parts_of_numbers(x):
    return (
        math.trunc(x[1]) * x[0]
        + math.floor(x[1] * 3) * x[0]
        + math.ceil(x[1]) * x[0]
        + round(x[1]) * x[0]
        + round(float(x[1])) * x[1]
        + math.isqrt(int(x[1] * 4)) * x[0]
        + operator.index(int(x[1])) * x[0]
        + math.gcd(4, 6) * x[0]
    )


@program(X)
def sums_and_steps_of_numbers(x):
    return (
        math.nextafter(x[0], 2.0) * x[1]
        + math.hypot(x[0], x[1])
        + math.dist([x[0], 1.0], [x[1], 2.0])
        + math.fsum([x[0], x[1]])
        + math.prod([x[0], x[1]])
        + math.gamma(x[0])
        + math.erf(float(x[1]))
    )


@program(X)
def complex_numbers_of_python(x):
    number = complex(x[0], x[1])
    return (
        cmath.exp(1j * x[0]).real
        + abs(cmath.sqrt(-x[1]))
        + cmath.phase(number)
        + cmath.polar(number)[0]
        + cmath.rect(x[0], x[1]).imag
        + number.conjugate().imag * number.real
        + sum(item.real for item in (x * (1 + 2j)).tolist())
        + sum(sum(row) for row in np.outer(x, x).tolist())
    )


@program(X)
def comparisons_of_numbers(x):
    number = float(x[0])
    return (
        (number < np.float64(1.0)) * x[1]
        + (number == 0.6) * x[0]
        + (number < x[1]) * x[0]
        + (number != np.array([1.0, 2.0])).sum() * x[1]
        + (number >= 1) * x[1]
        + float(x[1]).is_integer() * x[0]
    )


@program(X)
def extremes_of_numbers(x):
    return (
        max(x)
        + min(x[0], x[1], 1.0)
        + max(float(x[0]), 2)
        + max([x[0], x[0]])
        + min(x, key=lambda v: -v)
        + max([], default=x[0])
        + min(float(x[0]) * 1e308 * 10, x[1])
    )


@program(X)
def keys_and_indices_of_numbers(x):
    known = {x[0]: 2.0, float(x[1]): 3.0}
    place = int(x[1])
    try:
        return len(x[0]) * 1.0
    except TypeError:
        return known[x[0]] * x[1] + known[float(x[1])] * x[0] + x[place,] + A[place, place] * x[0]


# -- objects of SciPy ------------------------------------------------------------------------------


@program(X)
def interpolators_of_constants(x):
    return (
        GRID([[0.5, 1.5]])[0] * x[0]
        + GRID(x)[0]
        + len(GRID.grid) * x[1]
        + (GRID.method == "linear") * x[0]
        + PCHIP(x).sum()
        + PCHIP(0.5) * x[0]
        + PCHIP.x[1] * x[0]
        + SPLINE(x, 1).sum()
        + SPLINE.integrate(0, 1) * x[0]
    )


@program(X)
def interpolators_of_lists(x):
    knots, values = [0.0, 1.0, 2.0], [x[0], x[1], 1.0]
    spline = interpolate.CubicSpline(knots, values)
    knots[1], values[0] = 1.5, 5.0  # which it does not see
    return (
        float(spline(0.7))
        + float(interpolate.PchipInterpolator([0, 1, 2], [x[0], 2, x[1]])(0.7))
        + float(interpolate.interp1d((0, 1, 2), [1, 2, 4])(x[0]))
        + float(interpolate.interp1d(x=[0, 1, 2], y=(x[0], 2, x[1]), kind="quadratic")(0.7))
        + float(interpolate.CubicSpline(K, K**2 * x[0], bc_type="natural")(0.7))
    )


@program(X)
def arguments_of_solvers(x):
    return (
        integrate.quad(lambda t, a, b: a * t + b, 0, x[1], args=(x[0], 2.0))[0]
        + integrate.quad(lambda t, a: a * t, 0, 1, args=x[0])[0]
        + integrate.quad(lambda t: t, 0, 1, args=())[0] * x[0]
        + optimize.brentq(lambda t, a: t * t - a, 0, 3, args=(x[0],), xtol=1e-14)
        + optimize.newton(lambda t, a: t * t - a, 1.0, fprime=lambda t, a: 2 * t, args=(x[1],))
        + optimize.root(lambda t: t**3 - x, np.ones(2), jac=lambda t: np.diag(3 * t**2)).x.sum()
    )
