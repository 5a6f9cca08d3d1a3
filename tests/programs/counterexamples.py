"""Programs that were once differentiated wrongly: small ones, each for one mistake."""

from __future__ import annotations

from collections import deque

import numpy as np

from tests.programs.corpus import program


@program("v")
def counter_that_begins_below_zero(x):
    y = np.zeros(4)
    for i in range(-4, 4):
        y[i] = x[i] * (i + 6)
    return np.sum(y * y)


@program("v")
def place_before_the_counter(x):
    y = np.zeros(4)
    for i in range(5):
        y[i - 1] = x[i - 1] * (i + 6)
    return np.sum(y * y)


@program("v")
def value_called_as_an_adjoint_is(x):
    y = np.zeros(4)
    grad_y = y
    y[0] = x[0]
    for i in range(1, 4):
        y[i] = np.sin(y[i - 1]) * x[i]
        grad_y[i - 1] = 5.0 * x[i]
    return np.sum(y * y)


@program("v")
def new_arrays_in_a_list_written_by_name(x):
    ys = [x * 1.0, np.ones(4), np.full(4, 2.0)]
    y = ys[1]
    for i in range(1, 4):
        y[i] = x[i] * y[i - 1]
        ys[0][i] *= 2 * y[i]
    ys[2][1] += x[2]
    return np.sum(y * ys[0] * ys[2])


@program("v")
def array_kept_twice_in_a_tuple(x):
    y = np.ones(4)
    pair = (y, y)
    pair[0][1] = x[3]
    pair[1][2] = x[2]
    return np.sum(pair[0] * pair[1]) + np.sum(y**3)


@program("v")
def array_without_axes_written_whole(x):
    t = np.zeros(())
    t[...] = x[0]
    t[()] = t * x[1]
    return np.sum(np.sin(t) * x)


def _scaled(values, factor):
    scaled = []
    for value in values:
        scaled.append(value * factor)
    return scaled


@program("v", "s")
def list_of_a_helper_made_an_array(x, s):
    parts = _scaled(np.sin(x), s)
    return np.sum(np.array(parts) ** 2) + parts[1]


@program("v", "s")
def number_updated_before_a_finally(x, s):
    try:
        s *= np.max(x)
    finally:
        s += np.sum(x * x)
    return s * x[0]


@program("v", "s")
def attempt_that_comes_to_nothing(x, s):
    try:
        pass
    except ValueError:
        x = np.zeros(4)
    return np.sum(x) * s


@program("v")
def entry_updated_that_has_another_name(x):
    y = x * 2
    ys = [y, np.ones(4)]
    ys[0] *= x
    return np.sum(ys[0] * ys[1] * y)


@program("v")
def written_diagonal_by_einsum(x):
    a = np.outer(x, x)
    diagonal = np.einsum("ii->i", a)
    diagonal[:] = x
    return np.sum(a * a)


@program("v")
def selection_by_a_condition_of_numbers(x):
    return np.tanh(np.where(len(x) > 2, np.tanh(x[0]) * x[1], 0.3))


@program("v", "s")
def numbers_counted_before_a_loop_is_left(x, s):
    n = 0
    while True:
        n += 1
        if n > 3 or s > 5:
            break
        s = s * (0.4 if s > 0.2 else x[0])
    return np.tanh(s * 0.1)


@program("v", by="tape")
def written_where_broadcast_arrays_reaches(x):
    y = np.sin(x)
    (z,) = np.broadcast_arrays(y)
    y[1] = x[0]
    return np.sum(y * y * z)


@program("v")
def written_through_an_array_with_more_axes(x):
    y = np.sin(x)
    z = np.array(y, copy=None, ndmin=2)
    z[0, 1] = x[0]
    return np.sum(y * y)


@program("v", by="tape")
def rows_of_several_written(x):
    y = np.sin(x)
    rows, _ = np.atleast_2d(y, x)
    rows[0, 1] = x[0]
    return np.sum(y * y)


@program("v")
def last_entries_kept(x):
    last = deque(maxlen=2)
    for value in x:
        last.append(value * value)
    return last[0] * last[1]


def _above(u):
    return u + 1.0


@program("v", "v")
def result_of_a_helper_written(x, y):
    above = _above(y * 1.0)
    above[1] = x[0] * 3
    return np.sum(np.sin(above) * y)


@program("v", "s")
def array_filled_in_a_branch(x, s):
    y = np.zeros(4)
    u = x * 2.0
    if s > 0.2:
        y[:] = u
    return np.sum(np.sin(y))


def _joined(rows, more):
    total = 0.0
    for i, entry in enumerate(rows[0] + more["last"]):
        total = total + entry * entry * (i + 1)
    return total


def _first_scaled(rows):
    first = rows[0].copy()
    first[0] = first[0] * 3.0
    return first[0] * first[1] * rows[0][0]


@program("s", "s", by="tape")
def inner_lists_joined_and_copied(a, b):
    joined = _joined([[a, b], [b]], {"last": [a * b]})
    return joined * _first_scaled([[a, b], [b * a]])
