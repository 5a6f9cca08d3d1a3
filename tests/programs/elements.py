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
