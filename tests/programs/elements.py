"""Programs of arguments that are lists and tuples whose elements are all of one kind."""

from __future__ import annotations

import numpy as np

from tests.programs.corpus import program


@program(("w", (3, 4), (3, 4), (3, 4)), "v")
def rows_of_all(matrices, x):
    total = 0.0
    for i in range(len(matrices)):
        total = total + np.sum(np.tanh(matrices[i] @ x)) * matrices[-1][0, 0]
    return total


@program(("w", (3, 4), (4, 4), (4, 2)), ("v", 3))
def matrices_of_other_lengths(matrices, x):
    for w in matrices:
        x = np.sin(x @ w)
    return np.sum(x)


@program("t", "s")
def previous_element(vectors, rate):
    before = vectors[0]
    total = 0.0
    for item in vectors:
        total = total + np.sum(before * rate) + np.sum(item)
        before = item
    return total


@program(("v", 8), ("m", 8, 5), ("v", 3))
def gates_in_shares(b, w, x):
    size = len(b) // 4
    h = np.zeros(size)
    c = np.zeros(size)
    for _ in range(2):
        gates = w @ np.concatenate([h, x]) + b
        first, last = gates[:size], gates[3 * size :]
        c = c * np.tanh(gates[size : 2 * size]) + first * last
        h = c * gates[2 * size : 3 * size]
    return np.sum(h * h)


@program(("v", 3))
def shares_of_an_odd_length(x):
    half = len(x) // 2
    return np.sum(x[:half] * x[half:]) + np.sum(x[: 2 * half] ** 2)


@program(("v", 4))
def length_that_shrinks(x):
    n = len(x)
    total = 0.0
    for _ in range(3):
        n = n - 1
        y = np.zeros(n) + x[0]
        total = total + np.sum(y * x[1:]) if n in (1, 3) else total
    return total


@program(("v", 8))
def length_that_is_halved(x):
    n = len(x)
    total = 0.0
    for _ in range(3):
        half = n // 2
        y = x[:half] * 2.0
        total = total + np.sum(y * x[half:n])
        n = half
    return total


@program(("m", 4, 3), ("m", 2, 3))
def nearest_of_several_rows(points, centres):
    """A sum of elements of a matrix is a number, so it is kept and added to."""
    total = 0.0
    for p in range(points.shape[0]):
        best = 1e30
        for c in range(centres.shape[0]):
            distance = 0.0
            for k in range(points.shape[1]):
                distance += (points[p, k] - centres[c, k]) ** 2
            if distance < best:  # noqa: PLR1730 - as users write
                best = distance
        total += best
    return total
