"""Programs that copy and join the rows of lists of lists, and read tables of written numbers."""

from __future__ import annotations

import copy

import numpy as np

from tests.programs.corpus import program


@program("v")
def elimination_on_lists(x):
    A = [[x[0] + 3.0, x[1]], [x[2], x[3] + 2.0]]
    b = [1.0, x[1]]
    n = len(b)
    M = [row[:] + [bi] for row, bi in zip(A, b)]  # noqa: RUF005 - as textbooks write it
    for k in range(n):
        pivot = max(range(k, n), key=lambda i: abs(M[i][k]))
        M[k], M[pivot] = M[pivot], M[k]
        for i in range(k + 1, n):
            factor = M[i][k] / M[k][k]
            for j in range(k, n + 1):
                M[i][j] -= factor * M[k][j]
    solution = [0.0] * n
    for i in range(n - 1, -1, -1):
        known = sum(M[i][j] * solution[j] for j in range(i + 1, n))
        solution[i] = (M[i][n] - known) / M[i][i]
    return solution[0] * solution[1]


@program("v")
def gauss_jordan_of_rows(x):
    rows = [[x[0] + 2.0, x[1]], [x[2], x[3] + 3.0]]
    A = [row + [v] for row, v in zip(rows, [1.0, 2.0])]  # noqa: RUF005 - as textbooks write it
    for i in range(2):
        p = A[i][i]
        A[i] = [v / p for v in A[i]]
        for j in range(2):
            if i != j:
                f = A[j][i]
                A[j] = [a - f * b for a, b in zip(A[j], A[i])]
    return A[0][2] + A[1][2] ** 2


@program("v")
def inverse_by_scaled_rows(x):
    A = [[x[0] + 3.0, x[1]], [x[2], x[3] + 2.0]]
    n = len(A)
    AM = [row[:] for row in A]
    IM = [[1.0 if i == j else 0.0 for j in range(n)] for i in range(n)]
    for k in range(n):
        scale = 1.0 / AM[k][k]
        for j in range(n):
            AM[k][j] *= scale
            IM[k][j] *= scale
        for i in range(n):
            if i != k:
                factor = AM[i][k]
                for j in range(n):
                    AM[i][j] = AM[i][j] - factor * AM[k][j]
                    IM[i][j] = IM[i][j] - factor * IM[k][j]
    return IM[0][0] * IM[1][1] + IM[0][1]


@program("v")
def shortest_paths_in_a_copy(x):
    W = [[0.0, x[0], x[3]], [x[1], 0.0, x[2]], [x[2], x[0], 0.0]]
    D = [row[:] for row in W]
    for k in range(3):
        for i in range(3):
            for j in range(3):
                D[i][j] = min(D[i][j], D[i][k] + D[k][j])
    return sum(D[0]) + sum(D[1]) * D[2][1] + W[0][2]


@program("v")
def grids_copied_in_each_step(x):
    grid = [[x[0], x[1]], [x[2], x[3]]]
    for _ in range(3):
        new = [list(row) for row in grid]
        for i in range(2):
            new[i][0] += 0.1 * grid[i][1] * grid[1 - i][0]
        grid = new
    return sum(grid[0]) * sum(grid[1])


@program("v")
def rows_copied_and_originals_written(x):
    W = [[x[0], x[1]], [x[2], x[3]]]
    D = [row.copy() for row in W]
    W[0][0] = W[1][1] ** 2
    D[0][1] = D[0][0] * D[1][1]
    return W[0][0] * D[0][0] + D[0][1] * sum(W[0]) * max(D[0])


@program("v")
def sections_of_rows_written(x):
    W = [[x[0], x[1], x[2]], [x[2], x[3], x[0]]]
    D = [[*W[0][1:], *W[1]], W[1][::-1]]
    D[0][1] = D[0][0] * D[1][1]
    D[1][2] *= D[0][4]
    return sum(D[0]) * sum(D[1]) + sum(W[0])


@program("v")
def copies_of_a_row_that_is_held_twice(x):
    row = [x[0], x[1]]
    W = [row, row]
    D = [item[:] for item in W]
    D[0][1] = D[0][0] * D[1][1] * x[2]
    W[0][0] = x[3]
    return sum(D[0]) * sum(D[1]) + sum(W[1])


@program("v", by="tape")
def rows_of_arrays_are_added(x):
    W = [x[:2], x[2:]]
    M = [row[:] + [1.0] for row in W]  # noqa: RUF005 - of arrays it is a sum
    return (M[0] * M[1]).sum()


@program("v")
def arrays_of_rows_copied(x):
    W = [x[:2].copy(), x[2:].copy()]
    D = [row[:] for row in W]
    D[0][1] = D[0][0] * D[1][1]
    return W[0][1] * 2.0 + D[0][1]


@program("v")
def reactions_in_a_table(x):
    conc = {"A": x[0], "B": x[1], "C": x[2]}
    reactions = [(("A", "B"), ("C",), 1.3), (("C",), ("A", "B"), 0.4)]
    for _ in range(3):
        delta = {s: 0.0 for s in conc}
        for reactants, products, k in reactions:
            rate = k
            for s in reactants:
                rate *= conc[s]
            for s in reactants:
                delta[s] -= rate
            for s in products:
                delta[s] += rate
        for s in conc:
            conc[s] += 0.1 * delta[s]
    return conc["A"] * conc["C"] + conc["B"] * x[3]


@program("v")
def rates_in_a_dict(x):
    conc = {"A": x[0], "B": x[1], "C": x[2]}
    rates = {"A": ("B", 1.3), "B": ("C", 0.4)}
    for _ in range(2):
        for s, (to, k) in rates.items():
            rate = k
            rate *= conc[s]
            conc[s] -= rate
            conc[to] += rate * k
    return conc["A"] * conc["C"] * x[3]


@program("v", by="tape")
def arrays_in_a_table_updated(x):
    table = [(x[:2] * 2.0, 0.5), (x[2:] * 3.0, 0.3)]
    total = 0.0
    for a, k in table:
        v = a
        v *= x[0]
        total += (v * a).sum() * k
    return total


@program("v", by="tape")
def a_table_that_gets_other_numbers(x):
    table = [["a", 1.0], ["b", 2.0]]
    total = 0.0
    for t in range(2):
        for _name, k in table:
            v = k
            v *= x[t]
            total += v * k
        table[0][1] = x[3] * 2.0
    return total


@program("v")
def all_rows_in_one_list(x):
    rows = [[x[0], x[1]], [x[2], x[3]]]
    flat = sum(rows, [])  # noqa: RUF017 - as many write it
    flat[0] = flat[3] * 2.0
    rows[0][0] = x[2]
    return sum(flat) * rows[0][0]


@program("v")
def best_of_deep_copies(x):
    d = {"a": [x[0], x[1]], "b": [x[2]]}
    e = copy.deepcopy(d)
    e["a"].append(d["b"][0] * x[3])
    d["b"][0] = sum(e["a"])
    return sum(d["b"]) * max(e["a"]) + np.mean(e["a"])
