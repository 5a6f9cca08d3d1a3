"""Programs that unpack the several results of one primitive, some of them barely used."""

from __future__ import annotations

import numpy as np

from tests.programs.corpus import program


@program(("m", 3, 3))
def sums_of_both_factors(a):
    """Gradients that are one number everywhere reach the rule as arrays."""
    q, r = np.linalg.qr(a)
    return np.sum(q) + np.sum(r)


@program(("m", 3, 3))
def eigenvalues_summed_and_vectors_squared(a):
    """The sum of eigenvalues beside a projector."""
    w, v = np.linalg.eigh(a + a.T)
    return np.sum(w) + v[0] @ (w * v[0])


@program(("m", 3, 3))
def factors_kept_in_a_pair(a):
    """The pair is read by index, twice each."""
    pair = np.linalg.qr(a)
    return np.sum(pair[0] ** 2 * pair[1]) + np.sum(pair[1] * pair[0])


@program("v", "s")
def one_of_two_tuples_unpacked(x, c):
    a, b = (x, 2.0 * x) if c > 1.0 else (x * x, np.sin(x))
    a, (b, d) = (b, (a, c)) if np.sum(a) < 0.0 else (a * c, (a, b))
    return np.sum(a * b + d)


@program("v", "s")
def generator_unpacked(x, c):
    a, b = (np.sin(v) for v in (x, c * x))
    return np.sum(a * b)


@program("v")
def parts_of_two_lengths_in_one_name(x):
    """What a function of several results gives under one name has entries of any shapes."""
    parts = np.split(x, [1])
    return np.sum(parts[0] * parts[1])


@program(("m", 3, 3))
def vectors_scaled_by_values_in_one_name(a):
    found = np.linalg.eigh(a + a.T)
    return np.sum(found[1] ** 2 * found[0] * np.arange(3.0))


@program("v")
def array_and_number_made_rows_in_one_name(x):
    rows = np.atleast_2d(x, x[0])
    return np.sum(rows[0] * rows[1])


@program("v")
def sparse_grid_in_one_name(x):
    grid = np.meshgrid(x, x[:2], sparse=True)
    return np.sum(grid[0] * grid[1])


def sums_from_the_left(x, rate):
    total = np.zeros(len(x))
    last = rate * x
    for _ in range(3):
        total = x + total
        last = rate * last + total
    return total + last, last + total


@program("v", "s")
def results_of_names_that_are_added_from_the_left(x, rate):
    first, second = sums_from_the_left(x, rate)
    first += 1.0
    second *= first
    return np.sum(second)


def _as_rows(x):
    x = np.atleast_1d(x)
    count = np.shape(x)[0]
    if count == 1:
        x = x[0]
    return x, count


@program("v", "s")
def method_given_a_size_that_a_helper_returns_beside(x, y):
    rows, count = _as_rows(x)
    number, one = _as_rows(y)
    return np.sum(rows.reshape(count, 1) * np.sin(x) + number.reshape(one, one) * x)


def _polar_parts(a, b):
    return np.hypot(a, b), np.arctan2(b, a)


def _described(a, b):
    if a < -1e3:
        return a, b, a * b
    return *_polar_parts(a, b), a - b


@program("v")
def results_behind_a_star(x):
    radius, angle, gap = _described(x[0], x[1])
    whole = [*_described(x[1], x[2]), x[3]]
    return radius * angle + gap * sum(whole)


def _ordered(a, b):
    if a > 100.0:
        return a, b, 1.0
    for i in range(3):
        if b * i > 2.0:
            return (b, a, 2.0) if a > 0.0 else (a, b, a * b)
    return a * b, b, a


@program("v")
def tuples_chosen_where_one_is_returned(x):
    p, q, r = _ordered(x[0], x[1])
    s, t, u = _ordered(x[1], x[2])
    return p * q * r + s * t * u
