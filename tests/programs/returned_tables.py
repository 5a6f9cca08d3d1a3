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


def _unit(n):
    return [[1.0 if i == j else 0.0 for i in range(n)] for j in range(n)]


def _cross(u, v):
    return [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]


def _diagonal(n, value):
    table = [[0.0] * n for _ in range(n)]
    for i in range(n):
        table[i][i] = value
    return table


@program("v")
def table_of_constants_that_is_written_into(x):
    scales = _unit(3)
    scales[0][0] = float(x[0])
    scales[1][2] = x[1] * x[2]
    return scales[0][0] * scales[1][2] + scales[2][2] * x[3]


@program("v")
def table_of_conditions(x):
    turn = [[1.0 if i == j else 0.0 for i in range(2)] for j in range(2)]
    turn[0][1] = x[0] * x[1]
    turn[1][0] = turn[0][1] * turn[1][1]
    return turn[1][0] * x[2]


@program("v")
def columns_of_a_table_from_vectors(x):
    u, v = [x[0], x[1], 1.0], [x[2], 2.0, x[3]]
    w = _cross(u, v)
    basis = _unit(3)
    basis[0][0], basis[1][0], basis[2][0] = u
    basis[0][1], basis[1][1], basis[2][1] = v
    basis[0][2], basis[1][2], basis[2][2] = w
    return np.sum(np.array(basis) @ np.array(basis))


@program("v")
def table_updated_cell_by_cell(x):
    made = _diagonal(3, 1.5)
    for i in range(3):
        for j in range(3):
            made[i][j] += x[i] * x[j + 1]
    for i in range(2):
        made[0][i] /= made[2][2]
    return made[0][0] * made[0][1] + made[1][2]


@program("v")
def result_of_a_helper_taken_apart_into_cells(x):
    table = _unit(4)
    table[0][3], table[1][3], table[2][3] = _cross(x[:3], x[1:])
    return table[0][3] * table[1][3] - table[2][3] * table[3][3]
