"""Rows that are turned by ``zip(*rows)``: the columns of points and of matrices."""

from __future__ import annotations

import numpy as np

from tests.programs.corpus import program


def _points(x):
    return [[x[0], x[1] * 2.0], [x[2], x[3]], [x[1], 0.5]]


@program("v")
def columns_that_are_added_up(x):
    sums = [sum(column) for column in zip(*_points(x))]
    return sums[0] * sums[1]


@program("v")
def columns_taken_apart(x):
    points = _points(x)
    xs, ys = zip(*points)
    return sum(xs) / len(points) * max(ys)


@program("v")
def some_of_the_columns(x):
    (xs,) = list(zip(*_points(x)))[:1]
    return np.prod(xs)


@program("v")
def sums_of_columns_taken_apart(x):
    a, b = map(sum, zip(*_points(x)))
    return a * a - b


@program("v")
def product_of_matrices_of_lists(x):
    a = [[x[0], x[1]], [x[2], 1.0]]
    b = [[x[3], 2.0], [x[0], x[2]]]
    turned = list(zip(*list(b)))
    made = [[sum(p * q for p, q in zip(row, column)) for column in turned] for row in a]
    return made[0][0] * made[1][1] - made[0][1] * made[1][0]


@program("v")
def matrix_turned_into_lists(x):
    turned = list(map(list, zip(*[[x[0], x[1], 1.0], [x[2], x[3], 2.0]])))
    turned[1][0] = turned[0][1] * 2.0
    return turned[1][0] * turned[0][0] + turned[2][1]


@program("v")
def loop_over_columns_of_rows_that_change(x):
    rows = [[x[0], x[1]], [x[2], x[3]]]
    total = 0.0
    for a, b in zip(*rows):
        total = total + a * b
        rows[1][1] = a  # which the next trip reads
    return total


@program("m")
def columns_of_an_array(x):
    return sum(a * b - c for a, b, c in zip(*x))


@program("v")
def columns_of_no_rows(x):
    rows = [[v, v * v] for v in x if v > 1e3]
    return x[0] * x[1] + sum(sum(column) for column in zip(*rows))


@program("v")
def columns_of_rows_of_several_lengths(x):
    return sum(a * b for a, b in zip(*[[x[0], x[1], x[2]], (x[3], x[0])]))


@program("v")
def columns_of_items(x):
    names, values = zip(*{"a": x[0] * x[1], "b": x[2]}.items())
    return values[0] * values[1] * len(names)
