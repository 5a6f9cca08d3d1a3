"""Programs that integrate functions, find roots and solve sparse systems with SciPy."""

from __future__ import annotations

import functools

import numpy as np
import scipy.sparse
from scipy import integrate, optimize
from scipy.sparse.linalg import spsolve

from tests.programs.corpus import program

STIFFNESS = scipy.sparse.diags([-1.0, 2.5, -1.0], [-1, 0, 1], shape=(4, 4)).tocsc()
TIMES = np.linspace(0.0, 1.0, 4)


def _planck(x, temperature):
    return x**3 / (np.exp(x / temperature) - 1.0 + 1e-9)


def _kepler(e, mean, eccentricity):
    return e - eccentricity * np.sin(e) - mean


def _decay(y, t, rate):
    return -rate * y + 0.1 * t


@program("s", "s")
def energy_between_frequencies(low, temperature):
    """An integral whose end and whose integrand both depend on what is asked for."""
    energy, _ = integrate.quad(_planck, low, 5.0, args=(temperature,))
    return np.log(energy)


@program("s", "s")
def where_a_planet_is(mean, e):
    """Kepler's equation, solved by bracketing."""
    anomaly = optimize.brentq(_kepler, 0.0, 4.0, args=(mean, 0.2 * e))
    return np.cos(anomaly) - 0.2 * e


@program(("v", 2), "s")
def path_of_a_decay(start, rate):
    """The square of what is left, summed along the path."""
    path = integrate.odeint(_decay, start, TIMES, args=(rate,), rtol=1e-10, atol=1e-10)
    return np.sum(path**2)


@program("v")
def displacement_under_load(load):
    """A sparse system, and a sparse product."""
    moved = spsolve(STIFFNESS, load)
    return load @ moved + np.sum((STIFFNESS @ moved) ** 2)


@program("s")
def area_under_what_a_lambda_closes_over(rate):
    """An integrand that reads a variable of the function around it."""
    scale = np.exp(rate)
    return integrate.quad(lambda t: np.exp(-scale * t * t) * rate, 0.0, 1.0)[0]


@program("s")
def root_of_a_nested_function(load):
    """A nested function whose root is looked for."""

    def balance(height):
        return height**3 + height - load * load

    return optimize.brentq(balance, -1.0, 20.0) * load


@program("s", "s")
def area_from_where_there_is_no_value(rate, end):
    """An end that stays is not asked for: the integrand has no value there."""
    pull = integrate.quad(lambda t, k: t**-0.5 * np.exp(-k * t), 0.0, end, args=(rate,))[0]
    return pull * integrate.quad(lambda t, k: k * np.log(t), 0.0, 1.0, args=(rate,))[0]


@program(("v", 3))
def area_of_several_waves(v):
    """An integrand that closes over an array."""
    area, _ = integrate.quad(lambda t: np.sum(np.sin(v * t)), 0.0, 1.5)
    return area * v[0]


@program("v", "s")
def fits_within_bounds(x, level):
    """What lies on a bound stays there; the rest solves a system."""
    matrix = np.array([[1.0, 0.4], [0.2, 1.5], [0.3, -0.6]]) + 0.1 * level
    target = np.array([1.0, -2.0, 0.5]) * x[0] + x[1]
    free, rest = optimize.nnls(matrix, target)
    fit = optimize.lsq_linear(matrix, target, bounds=(-0.3, 5.0))
    return np.sum(free**2) + rest + fit.cost + fit.x[0]


@program("s", "s")
def integral_by_a_fixed_rule(rate, end):
    """The function closes over what varies, and so do the bounds."""
    area = integrate.fixed_quad(lambda t: np.exp(-rate * t) * t, 0.1 * rate, end, n=4)[0]
    return area**2 + optimize.toms748(lambda y: y**3 - end, 0.0, 4.0)


def _cubic(height, law):
    return height**3 - law[0] * height - 2.0


def _cubic_of_names(height, law):
    return height**3 - law["slope"] * height - 2.0


def _away(place, law):
    return (place[0] - law[0] * law[1]) ** 2 + 2.0 * (place[1] - law[0]) ** 2


@program("v")
def root_of_a_law_in_a_list(x):
    law = [x[0] ** 2, x[1]]
    return optimize.newton(_cubic, 2.0, args=(law,)) * x[1]


@program("v")
def root_of_a_law_in_a_dict(x):
    law = {"slope": x[0] ** 2, "unused": x[1]}
    return optimize.brentq(_cubic_of_names, 0.5, 5.0, args=(law,)) * x[1]


@program("v")
def lowest_place_of_a_law_in_a_tuple(x):
    law = (x[0] ** 2, x[1])
    found = optimize.minimize(_away, [1.0, 1.0], args=(law,), tol=1e-12)
    return found.x[0] * found.x[1]


@program("s")
def root_of_a_function_handed_by_its_name(load):
    """All arguments of a solver by their names, in an order of their own."""
    height = optimize.brentq(a=-1.0, b=20.0, f=lambda h: h**3 + h - load * load, xtol=1e-13)
    return height * load


@program("s")
def steps_of_newton_from_functions_with_names(load):
    def balance(height, share):
        return height**3 + height - share

    def steepness(height, share):
        return 3.0 * height**2 + 1.0

    return optimize.newton(func=balance, x0=1.0, fprime=steepness, args=[load * load], tol=1e-13)


@program("s", "s")
def area_under_a_function_with_a_name(rate, scale):
    def height(t):
        return np.exp(-scale * t * t) * rate

    area, _ = integrate.quad(b=1.0, a=0.0, func=height)
    return area


@program("s")
def fixed_point_of_a_function_with_a_name(load):
    return optimize.fixed_point(func=lambda h: np.sqrt(h) + load * load, x0=1.0, xtol=1e-13)


def _solved(balance, low, high):
    try:
        return optimize.brentq(balance, low, high, xtol=1e-13)
    except ValueError:
        return np.nan


@program("s", "s")
def root_in_a_helper_that_may_fail(scale, load):
    """The function is a lambda of the caller, and the solver is called in a function of its own."""
    return _solved(lambda h: scale**2 * h**3 + h - load * load, -1.0, 20.0) * load


@program("s", "s")
def root_of_a_lambda_that_calls_its_neighbour(scale, load):
    """What both close over is handed on, also what is bound anew between two calls."""

    def bent(height, more):
        return scale**2 * height**3 + more

    first = optimize.brentq(lambda h: bent(h, h) - load * load, -1.0, 20.0, xtol=1e-13)
    scale = scale + first
    return first * optimize.brentq(lambda h: bent(h, h) - load * load, -1.0, 20.0, xtol=1e-13)


@program("s", "s")
def area_under_a_function_of_statements(rate, end):
    """An integrand with a loop, which is no lambda of one expression."""

    def bent(t):
        value = t
        for power in range(3):
            value = value * np.exp(-rate * t) + t**power
        return value

    whole, _ = integrate.quad(bent, 0.0, 2.0 + end**2, epsabs=1e-12, epsrel=1e-12)
    return whole


def _power_of(scale, t, power=2.0):
    return scale * t**power


@program("v")
def functions_with_arguments_already(x):
    area, _ = integrate.quad(functools.partial(_power_of, x[0] + 2.0, power=1.5), 0.0, 1.0)
    root = optimize.brentq(functools.partial(lambda a, t: t**3 - a, x[1] + 3.0), 0.0, 3.0)
    return area * root


class _Balance:
    """Two sides of an equation; its object is called by solvers, and so is a method."""

    def __init__(self, left, right):
        self.left = left
        self.right = right

    def __call__(self, t):
        return self.left * t**3 - self.right

    def work(self, t):
        gap = self(t)
        return gap * gap


@program("v")
def objects_and_methods_that_solvers_call(x):
    balance = _Balance(x[0] + 2.0, x[1] + 3.0)
    root = optimize.brentq(balance, 0.0, 4.0)
    area, _ = integrate.quad(balance.work, 0.0, 1.0)
    return root * area
