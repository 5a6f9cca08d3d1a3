"""Programs that write what nobody reads, and their relatives in which somebody does."""

import numpy as np

from tests.programs.corpus import program


@program("v")
def list_filled_in_place_and_read(x):
    values = [item * item for item in x]
    for step in range(len(x) - 1, 0, -1):
        for i in range(step):
            values[i] = 0.5 * values[i + 1] + 0.3 * values[i]
    return values[0]


@program("v")
def last_writes_unread(x):
    y = x * 2.0
    total = np.sum(y**2)
    y[1:] = np.sin(y[1:])
    y[:] = 0.0
    return total


@program("v")
def read_in_the_next_trip(x):
    y = np.zeros(4)
    total = 0.0
    for i in range(4):
        total += y[i - 1] * x[i]
        y[i] = x[i] ** 2
    return total


@program("v")
def read_through_a_view(x):
    y = x.copy()
    last = y[2:]
    y[3] = np.sin(x[0]) * x[1]
    return np.sum(last**2)


@program("v")
def written_through_a_view(x):
    y = np.zeros(4)
    first = y[:2]
    first[0] = x[1] * x[2]
    first[1] = np.exp(x[0])
    return np.sum(y * x)


@program("v")
def unread_through_a_view(x):
    y = x**2
    total = np.sum(np.tanh(y))
    first = y[:2]
    first[0] = x[1] * x[2]
    y += first[0]
    return total


@program("v")
def rows_of_a_list_in_the_place_of_numbers(x):
    rows = [x[0], x[1], x[2]]
    for i in range(3):
        rows[i] = x * x[i]
    return np.sum(np.zeros_like(rows) + 1.0) * np.sum(rows[1] ** 2)


@program("v", "n")
def branch_that_writes_and_one_that_reads(x, n):
    y = x.copy()
    for i in range(n):
        if i % 2:
            y[i] = y[i] * x[0]
        else:
            y[i + 1] = np.cos(y[i])
    return y[n] * x[1]


@program("v")
def left_in_a_list(x):
    y = np.zeros(4)
    kept = []
    for i in range(4):
        y[i] = x[i] ** 2
        kept.append(y)
    return np.sum(kept[0] * kept[-1])


@program("v")
def updates_of_what_was_read(x):
    y = np.sin(x)
    z = y.reshape(2, 2)
    total = np.sum(z @ z)
    y *= x
    z += 1.0
    return total * np.sum(y[:1])


@program("v")
def ended_by_a_break(x):
    y = np.zeros(4)
    for i in range(4):
        y[i] = x[i] * 2.0
        if y[i] > 1.0:
            break
        y[i] = np.sin(x[i])
    return np.sum(y**2)


@program("v")
def index_read_from_what_is_written(x):
    order = np.zeros(4, int)
    order[0] = 2
    order[order[0]] = 1
    return x[order[2]] ** 2 + x[order[0]]
