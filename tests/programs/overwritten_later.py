"""Programs that read parts of arrays which are, or seem to be, written again later."""

from __future__ import annotations

import numpy as np

from tests.programs.corpus import program


@program(("v", 5))
def index_that_wraps(x):
    y = x.copy()
    for i in range(len(x)):
        y[i] = y[i - 1] * x[i] + y[i]
    return np.sum(y * y)


@program(("v", 5))
def slice_that_wraps(x):
    y = x.copy()
    for i in range(3):
        y[i] = np.dot(y[: i - 1], y[: i - 1]) + 0.3 * y[i]
    return np.sum(y * y)


@program(("v", 5))
def second_loop_over_what_was_read(x):
    y = x.copy()
    for i in range(1, 5):
        y[i] = 0.3 * np.dot(y[:i], y[:i]) * x[i]
    for j in range(5):
        y[j] = y[j] * y[j]
    return np.sum(y)


@program(("v", 5))
def loop_around_a_triangle(x):
    y = x.copy()
    for _ in range(2):
        for i in range(1, 5):
            y[i] = y[i] + 0.2 * np.dot(y[:i], y[:i])
    return np.sum(y * y)


@program(("v", 5))
def write_by_a_view_of_what_was_read(x):
    y = x.copy()
    for i in range(1, 5):
        y[i] = 0.3 * np.dot(y[:i], y[:i]) * x[i]
    part = y[1:3]
    part *= y[3]
    return np.sum(y * y)


@program(("v", 5))
def row_read_before_it_is_divided(x):
    u = 0.1 * np.outer(x, x) + np.eye(5)
    for k in range(4):
        for i in range(k + 1, 5):
            u[i, k:] = u[i, k:] - u[i, k] / u[k, k] * u[k, k:]
        u[k, k:] = u[k, k:] / u[k, k]
    return np.sum(u * u)


@program(("v", 5))
def stored_number_that_is_scaled_later(x):
    y = np.zeros(5)
    for i in range(5):
        root = np.exp(x[i])
        y[i] = root
        y[0] = 0.5 * y[0] * root
    return np.sum(y * y)
