"""Updates of what surely is an array, though how it is made does not say so at once."""

from __future__ import annotations

import numpy as np

from tests.programs.corpus import program


@program("v", "v")
def broadcast_and_updated_under_two_names(x, y):
    a, b = np.broadcast_arrays(x, np.sum(x))
    h = t = a * b
    for _ in range(2):
        t *= 0.9
    return np.sum(t * y) + np.sum(np.sin(h))


@program("v", "v")
def rows_of_an_outer_product_updated(x, y):
    p = np.outer(x, np.cumsum(y).reshape(y.shape))
    p.T[0] *= 0.5
    for row in p:
        row -= y
    return np.sum(p * p)


@program("v", "v")
def halves_updated_that_are_read_together(x, y):
    q = x * y
    halves = np.hsplit(q, 2)
    for half in halves:
        half -= x[::2]
    q[1] = y[0]
    return np.sum(np.sin(q)) + np.sum(halves[0] ** 2)


@program("v", "v")
def solutions_updated_in_a_dict(x, y):
    d = {"w": (x - y) * 1.0, "v": np.linalg.solve(np.eye(4) + 0.1 * np.outer(x, x), y) * 1.0}
    for w in d.values():
        w -= 0.3 * x
    w = d["w"]
    w[1:] *= y[1:]
    return np.sum(d["w"] * d["v"])
