"""Tables of numbers that helpers make, fill cell by cell, and return."""

from __future__ import annotations

import numpy as np

from tests.programs.corpus import program


def _products(temperatures, scale=1.0):
    """Return a symmetric table, whose cells on the diagonal are zero."""
    n = len(temperatures)
    table = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(i, n):
            product = 0.0 if i == j else temperatures[i] * temperatures[j] * scale
            table[i][j] = product
            table[j][i] = product
    return table


@program("v")
def table_that_a_helper_returns(x):
    table = _products(x)
    return table[0][1] * table[1][0] + np.sum(np.array(_products(x, x[0])))


def _one_way(x, high):
    table = [[1.0, 2.0], [3.0, 4.0]]
    if high:
        table[0][0] = x[0]
        return table
    table[1][1] = x[1] * table[0][1]
    return table


@program("v")
def tables_that_two_ways_return(x):
    low, high = _one_way(x, x[0] > 100.0), _one_way(x, x[0] < 100.0)
    return low[1][1] * high[0][0] + low[0][0] * high[1][1] * x[0]


def _steps(x, depth):
    table = [[0.0] * 2 for _ in range(2)]
    if depth == 0:
        return table
    before = _steps(x, depth - 1)
    table[0][0] = before[0][0] + x[0]
    table[1][1] = before[0][0] * x[1]
    return table


@program("v", by="tape")
def tables_that_a_helper_makes_of_its_own(x):
    table = _steps(x, 3)
    return table[0][0] * table[1][1]
