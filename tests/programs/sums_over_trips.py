"""Matrices that trips of a loop multiply by: their adjoints are sums of outer products."""

from __future__ import annotations

import numpy as np

from tests.programs.corpus import program

ROWS = np.array([[0.3, -0.2, 0.5], [0.1, 0.4, -0.6], [0.7, 0.2, 0.1]])


@program(("m", 3, 3), ("v", 3))
def state_of_a_network(w, x):
    state = np.zeros(3)
    for row in ROWS:
        state = np.tanh(w @ state + x * row)
    return np.sum(state * state)


@program(("m", 3, 3), ("m", 3, 3), ("v", 3))
def one_vector_meets_two_matrices(w, u, state):
    for _ in range(3):
        both = np.tanh(w @ state) + 0.5 * (u @ state)
        state = both * both + 0.1 * state
    return np.sum(state)


@program(("m", 3, 3), ("v", 3))
def states_that_are_updated_in_place(w, x):
    state = x.copy()
    for i in range(3):
        step = w @ state
        state += 0.1 * step
        state[i] *= 1.2
    return np.sum(state * state)


@program(("m", 3, 3), ("v", 3))
def matrix_that_changes_between_the_trips(w, x):
    w = w.copy()
    for i in range(3):
        x = np.tanh(w @ x)
        w[i] = w[i] * x[i]
    return np.sum(x) + np.sum(w)


@program(("m", 3, 3), ("v", 3))
def trips_that_multiply_or_do_not(w, x):
    for i in range(4):
        if np.sum(x) > 0.1 * i:
            x = np.tanh(w @ x) + 0.3
        else:
            x = x - 0.2 * (x @ w)
    return np.sum(x * x)


@program(("m", 3, 3), ("v", 3))
def no_trips_at_all(w, x):
    for _ in range(len(x) - 3):
        x = w @ x
    return np.sum(x * x) + 0.0 * np.sum(w)


@program(("m", 3, 3), ("m", 2, 3))
def rows_multiplied_where_they_lie(w, rows):
    rows = rows.copy()
    for _ in range(2):
        for i in range(rows.shape[0]):
            rows[i, :] = np.sin(rows[i, :] @ w)
    return np.sum(rows * rows)


@program(("m", 3, 4), ("v", 3), ("v", 4))
def scaled_to_the_sums_of_rows_and_columns(costs, a, b):
    kernel = np.exp(-costs)
    u, v = np.ones_like(a), np.ones_like(b)
    for _ in range(3):
        u = (1.0 + a * a) / (kernel @ v)
        v = (1.0 + b * b) / (kernel.T @ u)
    return np.sum(u[:, None] * kernel * v[None, :] * costs)


@program(("m", 3, 3), ("v", 3))
def matrix_in_sums_of_products(w, x):
    total = np.zeros_like(w)
    for _ in range(3):
        total += np.outer(x, w @ x)
        x = np.tanh(total @ x)
    return np.sum(total)


@program(("m", 3, 3), ("m", 4, 3))
def outputs_in_a_list(w, xs):
    state, outputs = np.zeros(3), []
    for x in xs:
        state = np.tanh(w @ state + x)
        outputs.append(w @ state)
    return sum(np.sum(item * item) for item in outputs)


@program("s", "s")
def prices_in_lists_of_lists_of_numbers(price, chance):
    values = [price * 1.1**i for i in range(4)]
    for _ in range(3):
        values = [
            chance * values[i + 1] + (1.0 - chance) * values[i] for i in range(len(values) - 1)
        ]
    return values[0] * values[0]


@program(("a"), ("v", 3))
def lists_of_arrays_made_anew(arrays, x):
    for _ in range(2):
        arrays = [np.sin(a) * x for a in arrays]
    return np.sum(arrays[0] * arrays[1])
