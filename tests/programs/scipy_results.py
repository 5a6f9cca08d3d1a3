"""Programs that read the objects which SciPy's solvers return."""

from __future__ import annotations

import numpy as np
from scipy import optimize
from scipy.optimize import least_squares, minimize

from tests.programs.corpus import program

TIMES = np.linspace(0.0, 2.0, 7)

TIGHT = {"jac": "cs", "xtol": 1e-15, "ftol": 1e-15, "gtol": 1e-15}


SWAP = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])


def _newton(fun, x0, args=(), jac=None, hess=None, **options):
    """Minimise to the last digit, which SciPy's own methods do not: they watch the value."""
    x = x0
    for _ in range(25):
        x = x - np.linalg.solve(hess(x, *args), jac(x, *args))
    return optimize.OptimizeResult(x=x, fun=fun(x, *args), success=True, nit=25)


NEWTON = {"method": _newton}


def _energy(x, centre, weight):
    away = x - centre
    return np.sum(np.cosh(away)) + weight * np.sum(x * x) + 0.1 * x[0] * x[1]


def _slope(x, centre, weight):
    slope = np.sinh(x - centre) + 2.0 * weight * x
    return slope + 0.1 * np.array([x[1], x[0], *(0.0 * x[2:])])


def _bend(x, centre, weight):
    return np.diag(np.cosh(x - centre) + 2.0 * weight) + 0.1 * SWAP


def _line(p, rate, data):
    return p[0] + p[1] * np.exp(-rate * TIMES) - data


@program(("v", 3), "s")
def where_an_energy_is_smallest(centre, weight):
    """The minimum of a function that is given numbers by `args`."""
    res = minimize(_energy, np.zeros(3), args=(centre, weight), jac=_slope, hess=_bend, **NEWTON)
    return np.sum(res.x**3) * weight


@program(("v", 3), "s")
def smallest_energy(centre, weight):
    """The value at the minimum, and the minimum, of a lambda."""
    start = 0.1 * centre
    res = minimize(
        lambda x: _energy(x, centre, weight * weight),
        start,
        jac=lambda x: _slope(x, centre, weight * weight),
        hess=lambda x: _bend(x, centre, weight * weight),
        **NEWTON,
    )
    return res.fun * weight + res.x[1]


@program(("v", 3), "s")
def smallest_energy_of_a_nested_function(centre, weight):
    """A nested function of several statements, and one that knows its own slope."""
    scale = 1.0 + weight

    def objective(x):
        away = x - centre
        squared = away * away
        return np.sum(squared * squared) + scale * np.sum(squared * weight) + np.sum(x)

    def slope(x):
        away = x - centre
        return 4.0 * away**3 + 2.0 * scale * weight * away + 1.0

    def bend(x):
        away = x - centre
        return np.diag(12.0 * away**2 + 2.0 * scale * weight)

    best = minimize(objective, np.zeros(3), jac=slope, hess=bend, **NEWTON).x
    return np.sum(best * best)


@program(("v", 2), "s")
def solution_of_a_system(load, stiffness):
    """The root of a system, whose name is bound anew in a loop."""

    def balance(x, push):
        return [stiffness * x[0] + x[1] ** 3 - push[0], x[1] - 0.2 * x[0] - push[1]]

    total = 0.0
    guess = np.zeros(2)
    for i in range(1, 3):
        sol = optimize.root(balance, guess, args=(load * i,), tol=1e-13)
        guess = sol.x
        total = total + np.sum(sol.x**2) * i
    return total


@program("s", "s")
def depth_of_a_root(a, b):
    """The root of one equation, and whether it was found."""
    sol = optimize.root_scalar(lambda x: x**3 + a * x - b, bracket=(0.0, 5.0), xtol=1e-14)
    assert sol.converged
    return sol.root * a + sol.root


@program("s", "s")
def curve_of_a_valley(a, b):
    """The minimum of a function of one number, by its value and its place."""
    low = optimize.minimize_scalar(
        lambda x, s: (x - s * a) ** 4 + b * x * x, args=(2.0,), tol=1e-12
    )
    return low.fun * a


@program("s", ("v", 7))
def line_that_fits_data(rate, data):
    """Parameters of a curve, what is left of the data, and the cost."""
    fit = least_squares(_line, np.array([1.0, 1.0]), args=(rate, data), **TIGHT)
    return fit.cost + np.sum(fit.x**2) + fit.fun[2] * rate


@program("s", ("v", 7))
def line_that_fits_data_within_bounds(rate, data):
    """One of the parameters lies at its bound."""

    def away(p):
        return _line(p, rate, 0.1 * data + 5.0 - TIMES)

    fit = least_squares(away, np.array([0.5, 0.1]), bounds=([0.0, -9.0], [1.0, 9.0]), **TIGHT)
    return fit.cost * fit.x[1] + fit.x[0]


@program(("v", 3), "s")
def smallest_energy_within_bounds(centre, weight):
    """Unknowns that lie at their bounds stay there."""
    centre = np.tanh(centre) + np.array([3.0, -3.0, 0.2])
    limits = [(None, 0.5), (0.25, None), (-9.0, 9.0)]
    res = minimize(
        _energy,
        np.array([0.1, 0.3, 0.0]),
        args=(centre, weight),
        jac=_slope,
        bounds=limits,
        method="L-BFGS-B",
        options={"gtol": 1e-14, "ftol": 1e-17, "maxcor": 30},
    )
    return res.fun + np.sum(res.x**2)


@program(("v", 2), "s")
def solver_that_a_branch_chooses(v, w):
    """The results of two paths."""
    if v[0] > 0.0:
        res = optimize.root(lambda x: x + w * x**3 - v, np.zeros(2), tol=1e-13)
    else:
        res = optimize.root(lambda x: x - v * np.cos(0.1 * w * x), np.zeros(2), tol=1e-13)
    return np.sum(res.x * v)


def _balanced(load):
    return optimize.root(lambda x: x + x**3 - load, np.zeros(2), tol=1e-13)


@program(("v", 2), "s")
def result_that_a_helper_returns(load, w):
    """An object of results that a helper returns, read by its key."""
    sol = _balanced(load * w)
    return np.sum(sol["x"] * load)


@program(("v", 2))
def system_written_as_an_array(a):
    """A residual that makes an array, with a slope of its own; the names of both are taken."""

    def residual(x):
        return np.array([x[0] - a[0] * x[1] - 1.0, x[1] - np.cos(x[0]) * a[1]])

    def slope(x):
        return np.array([[1.0, -a[0]], [np.sin(x[0]) * a[1], 1.0]])

    x = optimize.root(residual, np.zeros(2), jac=slope, tol=1e-13).x * 2.0
    return x[0] * x[1]


@program("s", "s")
def valley_between_walls(a, b):
    """A minimum of one unknown within bounds, which lies inside of them."""
    low = optimize.minimize_scalar(
        lambda x: (x - a * a - 0.5) ** 2 + x**4 * b * b,
        bounds=(-3.0, 3.0),
        method="bounded",
        options={"xatol": 1e-12},
    )
    return low.fun + a * b


@program("s", "s")
def roots_by_newton_in_a_loop(a, b):
    """Newton's method with a slope, both of which close over variables, and one of the loop."""
    total = 0.0
    for k in range(1, 4):
        root = optimize.root_scalar(
            lambda t: t**3 + k * t - a,  # noqa: B023 - called at once
            x0=0.3,
            fprime=lambda t: 3 * t * t + k,  # noqa: B023
            method="newton",
            xtol=1e-14,
        )
        total = total + root.root * b
    return total


@program("s", "s")
def root_by_newton(a, b):
    """A slope that closes over a variable too is handed it on as well."""
    return optimize.newton(
        lambda t: t**3 + b * b * t - a, 0.3, fprime=lambda t: 3 * t * t + b * b, tol=1e-14
    )
