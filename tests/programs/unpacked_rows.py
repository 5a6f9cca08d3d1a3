"""Rows of new arrays that are unpacked and updated, each by itself."""

from __future__ import annotations

import numpy as np

from tests.programs.corpus import program


def split(a):
    return np.array([a[..., k] for k in range(a.shape[-1])])


def turned_round(a):
    return np.array([a[1], a[0]])


@program("v")
def channels_updated_in_place(x):
    a, b = split(x.reshape(2, 2))
    a -= 0.5
    b *= a
    return np.sum(a * b)


@program("v")
def channels_of_vectors_updated(x):
    first, second, third, _ = split(np.asarray(x))
    other, _, _, last = split(x * x)
    second *= 0.5
    other -= second
    return np.sqrt((first - other) ** 2 + second**2 + (third - last) ** 2)


@program("v")
def rows_of_a_result_updated(x):
    a, b = turned_round(x.reshape(2, 2))
    a *= 2.0
    b *= a
    return np.sum(a * b)


@program("v")
def rows_unpacked_twice_in_a_loop(x):
    total = 0.0
    for k in range(2):
        a, b = np.stack([x[:2] * k, x[2:]])
        a += b
        b *= a
        total += np.sum(a * b)
    return total


@program("v")
def rows_of_a_list_that_grew(x):
    rows = []
    for k in range(3):
        rows.append(x[k : k + 2] * x[k])
    whole = np.vstack(rows)
    whole[1] *= whole[0]
    return np.sum(whole * whole)


def sums_of_rows(matrix):
    if not matrix or not matrix[0]:
        raise ValueError("an empty matrix")
    n = len(matrix[0])
    if not all(len(row) == n for row in matrix):
        raise ValueError("rows of different lengths")
    result = []
    for row in matrix:
        total = 0.0
        for value in row:
            total += value
        result.append(total)
    return result


@program("v")
def sums_of_rows_that_are_checked_first(x):
    first, second = sums_of_rows([[x[0], x[1]], [x[2], x[3]]])
    return first * second


OFTEN = np.array([0, 0, 1])


@program("v")
def unpacked_and_picked_often(x):
    first, *_ = x
    return np.sum(x[OFTEN] ** 2) * first


@program("v")
def rows_unpacked_and_picked_often(x):
    table = np.outer(x[:2], x)
    low, high = table
    return np.sum(table[OFTEN] * x) + low @ high


@program("v")
def rows_written_unpacked_and_picked_often(x):
    table = np.zeros((2, x.size))
    table[0], table[1] = x, x**2
    low, high = table
    low[1] = 3.0
    return np.sum(table[OFTEN] ** 2) + low @ high


def falling(values, depth):
    first, second, *_ = values
    return first * second if depth == 0 else falling(values * 0.5, depth - 1) + first


@program("v")
def unpacked_in_a_function_and_picked_often(x):
    scaled = x * 1.5
    return falling(scaled, 2) + np.sum(scaled[OFTEN] ** 2)


@program("v")
def slopes_picked_often(x):
    slopes = np.gradient(x)
    return np.sum(slopes[OFTEN] * x[:3])


@program("v")
def slopes_along_axes_picked_often(x):
    down, along = np.gradient(np.outer(x, x))
    return np.sum(down[OFTEN] * along[[0, 0, 0]])
