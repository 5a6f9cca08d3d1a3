"""Names that a loop binds for its later trips, read if a test says that one has run."""

from __future__ import annotations

import numpy as np

from tests.programs.corpus import program


@program("v")
def rises_over_the_last(x):
    s = 0.0
    for k in range(len(x)):
        if k > 0 and x[k] > last:
            s = s + x[k] * last
        last = x[k]
    return s


@program("v")
def running_maximum_that_starts_itself(x):
    s = 0.0
    for i in range(len(x)):
        if i == 0 or x[i] > top:
            top = x[i]
        s += top * x[i]
    return s


@program("v")
def difference_to_the_last_if_there_is_one(x):
    s = 0.0
    for k, v in enumerate(x):
        s += (v - last) ** 2 if k else v
        last = v * 2.0
    return s


@program("v")
def while_not_converged(x):
    k = 0
    while k == 0 or np.abs(step) > 1e-3:
        step = 0.3 * (np.sum(x * x) - 1.0)
        x = x * (1.0 - step / 4.0)
        k += 1
        if k > 12:
            break
    return np.sum(x) * step


@program("v")
def read_where_it_is_bound(x):
    if x[0] > 0.0:
        y = x * 2.0
    if x[0] > 0.0 and y[0] > 1.0:
        return np.sum(y * x)
    return np.sum(x**2)


@program("v")
def not_first_or_small(x):
    s = 0.0
    for i in range(len(x)):
        if i > 1 and x[i] > 0.5 * top:
            s += top
        if i > 0:
            top = x[i] * 1.5
        if not (i > 0) or top < 0.7:
            s += x[i] ** 2
    return s


@program("v")
def between_two_that_come_later(x):
    s = 0.0
    for i in range(len(x)):
        if i > 0 and low - 1.0 < x[i] < high + 1.0:
            s += (high - low) * x[i]
        low, high = np.sin(x[i]), np.exp(x[i])
    return s
