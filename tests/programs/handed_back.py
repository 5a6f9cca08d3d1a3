"""Programs with helpers that hand back an argument on one path, and new memory on another."""

from __future__ import annotations

import numpy as np

from tests.programs.corpus import program


def _moved2(e):
    if e[0] > 0.5:
        return e + 1.0
    return e


@program("v")
def two_results(x):
    y = x * x
    moved = _moved2(y)
    y *= 0.5
    return np.sum(moved * y)


@program("v")
def bound_anew_by_a_loop(x):
    y = x * 1.0
    raised = y
    while raised[0] < 0.5:
        raised = 0.5 + raised
    raised[1] *= y[0]
    return np.sum(raised * y)


def _pick(a, b):
    if a[0] > b[0]:
        return a
    return b


def _as2d(a):
    a = np.asarray(a)
    if a.ndim == 1:
        a = a[:, np.newaxis]
    return a


def _both(a, b):
    n = len(a) // 2
    if b[0] > 0:
        b = b * 2.0
    return a[n:], b


def _norm(a, copy=False):
    if copy:
        a = a.copy()
    s = np.sum(a * a)
    if s > 100.0:
        return a / s
    return a


def _outer(a):
    b = _as2d(a)
    if b.shape[1] == 1:
        return b[:, 0]
    return b


def _wrapped(a):
    return _norm(a)


@program("v")
def one_of_two_arguments(x):
    y, z = x * 1.0, x[::-1] * 2.0
    w = _pick(y, z)
    w *= 2.0
    return np.sum(y * y * z)


@program("v")
def made_a_matrix_first(x):
    y = x * 1.0
    z = _as2d(y)
    for k in range(len(z)):
        z[k] = z[k] * x[0]
    return np.sum(y * z[:, 0])


@program("v")
def several_results(x):
    y, z = x * 1.0, x * 3.0
    u, v = _both(y, z)
    u += v[:2]
    z[1] = 5.0
    return np.sum(y * v * z)


@program("v")
def view_of_a_view(x):
    y = x * 1.0
    z = _outer(y)
    y[1:] *= 2.0
    return np.sum(z * y)


@program("v")
def in_a_comprehension(x):
    y = x * 1.0
    zs = [_norm(y * k) for k in (1.0, 2.0)]
    zs[0][1] *= 3.0
    y *= 2.0
    return np.sum(zs[0] * zs[1] * y)


@program("v")
def through_another_helper(x):
    y = x * 1.0
    z = _wrapped(y)
    z[0] = 1.0
    y[1] = y[0] * z[2]
    return np.sum(y * z)


def _pick_of_a_batch(a, b):
    if a[0] > b[0]:
        return a
    return b


def _norm_of_a_batch(a):
    s = np.sum(a * a)
    if s > 1.5:
        return a / s
    return a


def _tail(a):
    return _norm_of_a_batch(a)[1:]


def _pair(a):
    return _norm_of_a_batch(a), np.sum(a)


@program("v")
def part_of_what_is_chosen(x):
    y = x * 1.0
    z = _tail(y)
    y[2] = 5.0
    return np.sum(z) + y[0]


@program("v")
def beside_a_number(x):
    y = x * 1.0
    z, s = _pair(y)
    z[0] = 4.0
    return np.sum(z * y) + s


@program("v")
def chosen_and_only_read(x):
    y = x * 1.0
    z = _norm_of_a_batch(y)
    return np.sum(z * y)


@program("v")
def one_of_two_in_a_loop(x):
    y, z = x * 1.0, x[::-1] * 1.0
    for k in range(2):
        w = _pick_of_a_batch(y, z)
        w[k] *= 2.0
    return np.sum(z * y)


def _payoff_of(prices, strike, put):
    if put:
        found = np.maximum(strike - prices, 0.0)
    else:
        found = np.maximum(prices - strike, 0.0)
    return found[None, :]


def _rolled_back(rows, rate):
    for k in range(len(rows)):
        rows[k] = rows[k] * rate
    return rows


@program("v")
def american_option_of_helpers(x):
    payoff = _payoff_of(x**2 + 0.3, 1.0, False)
    values = payoff.copy()
    for _ in range(3):
        values = _rolled_back(values, 0.9 + 0.01 * x[0])
        early = values[0] < payoff[0]
        values[0][early] = payoff[0][early]
    return values[0][2] + np.sum(values)


@program("v")
def copy_of_what_a_helper_calculates(x):
    payoff = _payoff_of(x, 2.5, True)
    values = payoff.copy()
    above = x > 0.5
    values[0][above] = payoff[0][above] * x[1]
    return np.sum(values * payoff)


def _cleared_first(rows):
    rows[0] = 0.0
    return rows


@program("v")
def list_that_a_helper_hands_back(x):
    rows = [x * 2.0, x**2]
    rows = _cleared_first(rows)
    return np.sum(rows[1] ** 2) + rows[0]
