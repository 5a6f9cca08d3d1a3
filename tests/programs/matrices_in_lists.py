"""Matrices that are lists of lists of numbers, as geometry is written without NumPy."""

from __future__ import annotations

from math import cos, sin, sqrt

import numpy as np

from tests.programs.corpus import program


def _diagonal(dim):
    return [[1.0 if i == j else 0.0 for i in range(dim)] for j in range(dim)]


def _inner(a, b):
    return sum(x * y for x, y in zip(a, b))


def _scaled_to_one(v):
    length = sqrt(_inner(v, v))
    if not length:
        return v
    return [v[0] / length, v[1] / length, v[2] / length]


def _outer(u, v):
    return [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]


def _applied(m, v):
    m = list(m)
    if not all([len(row) == len(v) for row in m]):
        raise ValueError("sizes differ")
    return [_inner(row, v) for row in m]


def _after(a, b):
    a, b = list(a), list(b)
    rows, inner, columns = range(len(a)), range(len(b)), range(len(b[0]))
    return [[sum(a[i][k] * b[k][j] for k in inner) for j in columns] for i in rows]


def _total(m):
    return sum(sum(row) for row in m)


@program("v")
def rotation_about_an_axis(x):
    axis = _scaled_to_one([x[0], x[1], x[2]])
    c, s = cos(x[3]), sin(x[3])
    turned = [[c, 0.0, 0.0], [0.0, c, 0.0], [0.0, 0.0, c]]
    outer = [[axis[i] * axis[j] * (1.0 - c) for i in range(3)] for j in range(3)]
    turned = [[turned[i][j] + outer[i][j] for i in range(3)] for j in range(3)]
    a = [v * s for v in axis]
    around = [[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]]
    whole = _diagonal(4)
    for i in range(3):
        for j in range(3):
            turned[i][j] += around[i][j]
            whole[i][j] = turned[i][j]
    moved = _applied(turned, [1.0, 2.0, 3.0])
    whole[0][3], whole[1][3], whole[2][3] = moved
    return _total(whole) + whole[1][2] * whole[0][3]


@program("v")
def shear_after_a_projection(x):
    first = _diagonal(3)
    for j in range(3):
        for i in range(3):
            first[i][j] -= x[i] * x[j]
    second = _diagonal(3)
    second[0][2], second[1][2], second[2][2] = [x[3] * v for v in (1.0, 2.0, 3.0)]
    both = _diagonal(3)
    both = _after(both, first)
    both = _after(both, second)
    for i in range(3):
        for j in range(3):
            both[i][j] /= both[2][2]
    return _total(both) + both[0][1] * both[1][2]


@program("v")
def basis_of_two_vectors(x):
    a = _scaled_to_one([x[2], x[1], x[3] * x[0]])
    b = _scaled_to_one([x[3], x[0] * 2.0, x[1]])
    c = _outer(a, b)
    b = _outer(c, a)
    m = _diagonal(4)
    m[0][0], m[1][0], m[2][0] = a
    m[0][1], m[1][1], m[2][1] = b
    m[0][2], m[1][2], m[2][2] = c
    return sum(_applied(m, [1.0, 2.0, 3.0, 4.0])) * m[1][2]


@program("v")
def rows_given_to_functions(x):
    m = _diagonal(4)
    m[0][1] += x[0]
    m[1][2] = x[1] * x[2]
    before = _inner(m[0], x)
    for i in range(4):
        for j in range(4):
            m[i][j] += _inner(m[i], m[j]) * 0.1
    return before * _inner(m[0], x) + _total(m)


@program("v")
def copies_that_nobody_changes(x):
    m = _diagonal(4)
    m[0][1] += x[0]
    own, turned = list(m), m[:]
    for i in range(4):
        own[i][0] += turned[i][1] * x[i]
        turned[i][2] = own[i][0] * m[i][3]
        m[i][3] = turned[i][2] + x[3]
    return _total(own) * _total(turned) + m[0][2]


@program("v")
def copy_that_gets_another_row(x):
    m = _diagonal(3)
    m[0][1] += x[0]
    own = list(m)
    own[0] = [x[1], x[2], x[3]]
    own[1][1] += x[0]
    return sum(own[0]) * m[1][1] + m[0][1]


@program("v")
def lists_that_are_asked_for_their_lengths(x):
    m = _diagonal(3)
    m[0][0] *= x[1]
    longest = max(len(row) for row in m)
    row = m[0]
    m[1][1] = row[0] * x[0] * longest
    return _total(m)


@program("v")
def apart_by_patterns(x):
    windows = np.apply_along_axis(
        np.lib.stride_tricks.sliding_window_view, 1, np.outer(x, x), window_shape=(2,)
    )
    orders = np.apply_along_axis(np.argsort, 1, np.outer(x, x[::-1]))
    _, counts = np.unique(orders, return_counts=True, axis=0)
    return np.sum(windows[:, :, 0] * windows[:, :, 1]) * np.sum(counts / counts.sum())


@program("v")
def distinct_rows_and_where_they_are(x):
    rows = np.stack([x[:2], x[2:], x[:2]])
    found, first, inverse = np.unique(rows, return_index=True, return_inverse=True, axis=0)
    values, places, which, counts = np.unique(np.concatenate([x, x[:2]]), True, True, True)
    weighted = np.sum(found**2 * (first[:, None] + 1.0)) + np.sum(found[np.ravel(inverse)] ** 3)
    return weighted + np.sum(values[which] ** 3 * np.arange(6)) + np.sum(values * counts * places)


@program("v")
def iterators_read_at_once(x):
    known = {0: 2.0, 1: 3.0}
    factors = np.fromiter(map(known.get, (x > 1.0).astype(int).tolist()), dtype=float)
    squares = np.fromiter(map(lambda v: v * v, x), float)
    return np.sum(factors * squares)


def _product_by_columns(a, b):
    a = list(a)
    b = list(b)
    n = len(b)
    if not all(len(row) == len(b[0]) for row in b):
        raise ValueError("rows of different lengths")
    if not all([len(row) == n for row in a]):
        raise ValueError("these do not fit")
    b = list(zip(*b, strict=True))
    return [[_of_two_vectors(row, column) for column in b] for row in a]


def _of_two_vectors(u, v):
    return sum(a * b for a, b in zip(u, v, strict=True))


def _shifted(by):
    m = _square_of_ones(3)
    m[0][2] = float(by[0])
    m[1][2] = float(by[1])
    return m


def _square_of_ones(n):
    return [[1.0 if i == j else 0.0 for i in range(n)] for j in range(n)]


@program("v")
def product_of_shifts_scaled_by_a_cell_of_it(x):
    m = _square_of_ones(3)
    m = _product_by_columns(m, _shifted([x[0], x[1]]))
    if x[2] > 0.0:
        m = _product_by_columns(m, _shifted([x[2], x[0]]))
    m[2][2] = x[3]
    for i in range(3):
        for j in range(3):
            m[i][j] /= m[2][2]
    return m[0][2] * m[1][2] + m[0][0]
