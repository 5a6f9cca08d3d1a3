"""Programs that integrate differential equations and fit curves."""

from __future__ import annotations

import numpy as np
from scipy.integrate import odeint, solve_ivp
from scipy.optimize import curve_fit

from tests.programs.corpus import program

TIMES = np.linspace(0.0, 1.5, 5)
PRECISE = {"rtol": 1e-13, "atol": 1e-14, "method": "DOP853"}


def _oscillator(t, y, stiffness, damping):
    return [y[1], -stiffness * y[0] - damping * y[1] * np.cos(t)]


def _slopes(t, a, b):
    return np.stack([np.cos(t), t], axis=1)


@program(("v", 2), "s", "s")
def path_at_given_times(start, stiffness, damping):
    """A path at times that are given, of an equation that is handed numbers by `args`."""
    sol = solve_ivp(
        _oscillator, (0.0, 1.5), start, t_eval=TIMES, args=(stiffness, damping), **PRECISE
    )
    return np.sum(sol.y[0] ** 2) + sol.y[1, -1] * sol.t[-1]


@program("s", "s")
def path_of_a_nested_function(rate, height):
    """A start that is a list, a slope that closes over variables; the first time comes later."""

    def slope(t, y):
        growth = rate * y[0] * (1.0 - y[0])
        return np.array([growth, y[0] - height * y[1]])

    sol = solve_ivp(
        slope, (0.0, 2.0), [0.1 * height, 1.0], t_eval=[0.5, 2.0], rtol=1e-10, atol=1e-12
    )
    if not sol.success:
        raise ValueError(sol.message)
    return sol.y[0, -1] * sol.y[1, 0]


@program(("v", 2), "s")
def end_of_a_path(start, rate):
    """The last of the times that the solver chose, and one of its helpers."""

    def decay(start, factor):
        return solve_ivp(
            lambda t, y: -factor * y, [0, 0.2], start, "DOP853", rtol=1e-13, atol=1e-14
        )

    return np.sum(decay(start, rate).y[:, -1] * decay(start * 2.0, rate * rate).y[:, -1])


@program("s")
def path_of_odeint_that_closes_over(rate):
    """The older function for paths."""
    start = np.array([1.0, 0.4])
    path = odeint(lambda y, t: -rate * rate * y, start, TIMES, rtol=1e-13, atol=1e-14)
    return np.sum(path[-1] * path[2])


@program(("v", 6), "s")
def fitted_curve(data, scale):
    """Parameters of a curve that fits data, which move with the data."""
    t = np.linspace(0.0, 2.0, 6)
    height, rate = 2.0, 0.7
    noisy = height * np.exp(-rate * t) + data * scale
    best, _ = curve_fit(lambda t, a, b: a * np.cos(t) + b * t, t, noisy, jac=_slopes)
    return best[0] * best[1]


@program("s", "s")
def path_from_a_time_that_is_looked_for(begin, start):
    """The equation depends on the time: a later start is another path, not the same one later."""
    times = np.array([0.3 * begin, 2.0, 2.5])
    path = odeint(lambda y, t: -y * t, start, times, rtol=1e-13, atol=1e-14)
    return np.sum(path[1:])


@program("s", "s")
def path_of_times_that_are_moved(shift, start):
    """All times, and a right side that tells them apart."""
    times = TIMES + shift
    first = np.array([start, 0.4])
    path = odeint(_turned_oscillator, first, times, args=(2.0, shift), rtol=1e-13, atol=1e-14)
    return path[-1, 0] * path[2, 1] + path[0, 1]


def _turned_oscillator(y, t, stiffness, damping):
    return [y[1], -stiffness * y[0] - damping * y[1] * np.cos(t)]
