"""Lists and tuples that are made to be unpacked, and entries of dicts with a default that are."""

from __future__ import annotations

import numpy as np

from tests.programs.corpus import program


@program("v")
def rows_of_a_tuple_unpacked(x):
    a, b = tuple(np.stack([x, x * x]))
    return np.sum(a * np.sin(b))


@program("v")
def mapped_rows_of_a_list_unpacked(x):
    a, b = list(map(np.sin, np.stack([x, x * x])))
    c, d = tuple(np.exp(row) for row in np.stack([a, b]))
    return np.sum(a * b * c + d)


@program("v")
def rows_exchanged_by_a_tuple(x):
    m = np.stack([x, x * x])
    m[0], m[1] = tuple(m[::-1])
    return np.sum(m[0] ** 2 * m[1] * x)


@program("v")
def entries_exchanged_by_a_tuple(x):
    held = [x[0] * 2.0, x[1]]
    held[0], held[1] = tuple(reversed(held))
    return held[0] ** 2 * held[1]


@program("v")
def moments_kept_as_tuples_with_a_default(x):
    state = {}
    for step in range(3):
        m, v = state.get("w", (np.zeros(len(x)), np.zeros(len(x))))
        m = 0.9 * m + 0.1 * x * (step + 1.0)
        v = 0.9 * v + 0.1 * x**2
        state["w"] = (m, v)
    return np.sum(state["w"][0] * state["w"][1])


@program("v")
def sums_by_name_kept_as_tuples(x):
    state = {}
    for name, g in zip("aba", x):
        total, squares = state.get(name, (0.0, 0.0))
        state[name] = (total + g, squares + g * g)
    return state["a"][0] * state["b"][1] * state["a"][1]


@program("v")
def a_pair_taken_out_with_a_default(x):
    state = {"a": [x[0], x[1] * x[0]]}
    a, b = state.pop("a", [0.0, 0.0])
    c, d = state.setdefault("b", (x[1], x[0]))
    return a * b * c + d
