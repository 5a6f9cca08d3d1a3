"""Programs over points, polygons and tables as their authors write them: tuples in lists."""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np

from tests.programs.corpus import program

Point = namedtuple("Point", "x y")


def perimeter(points):
    return sum(math.dist(p, q) for p, q in zip(points, [*points[1:], points[0]], strict=True))


def closed_length(points):
    total = 0.0
    for i in range(len(points)):
        total += math.dist(points[i], points[i - 1])
    return total


def products_of_rows(rows):
    total = 0.0
    for i in range(len(rows)):
        total += math.prod(rows[i]) * math.fsum(rows[i - 1])
    return total


@program("v")
def perimeter_of_a_polygon_with_a_fixed_corner(x):
    corners = [(0, 0), (x[0], 0.1), (x[1], x[2]), (0.2, x[3])]
    return perimeter(corners)


@program("v")
def distances_of_points_in_a_helper_that_counts(x):
    return closed_length([(0.0, 0.0), (x[0], 0.1), (x[1], x[2]), (0.2, x[3])])


@program("v")
def distances_of_points_that_a_loop_makes(x):
    points = [(0, 0)]
    for i in range(4):
        points.append((i * x[0], x[1] ** i))
    return perimeter(points) + closed_length(points[1:])


@program("v")
def distances_of_pairs_of_neighbours(x):
    return closed_length(list(zip(x, x[1:], strict=False)))


@program("v")
def products_and_sums_of_rows_in_a_helper(x):
    rows = [(1.0 + i * x[0], x[1] ** i) for i in range(4)]
    return products_of_rows(rows) + products_of_rows(rows[1:])


@program("v")
def sums_of_rows_of_which_one_is_fixed(x):
    total = 0.0
    for row in [(1, 2), (x[1], x[2]), (0.2, x[3])]:
        total += sum(row) * max(row) * math.prod(row)
    return total


@program("v")
def distances_of_named_points(x):
    points = [Point(0, 0), Point(x[0], x[1]), Point(x[2], x[3])]
    return math.dist(points[0], points[1]) + math.dist(points[1], points[2])


@program("v")
def table_copied_by_maps_in_maps(x):
    table = [[0, x[0], x[1]], [0, x[2], x[3]]]
    copied = list(map(lambda row: list(map(lambda v: v * row[1], row)), table))
    copied[0][1] = copied[0][1] * 2
    return copied[0][1] * copied[1][2]


@program("v")
def product_of_tables_by_maps(x):
    a = [[1, x[0]], [x[1], 2]]
    b = [[x[2], 1], [3, x[3]]]
    columns = list(zip(*b, strict=True))
    c = [
        list(map(lambda col: sum(p * q for p, q in zip(row, col, strict=False)), columns))
        for row in a
    ]
    return c[0][0] * c[1][1] - c[0][1]


class _Stepping:
    def __init__(self, v):
        self.v = v

    def step(self):
        self.v = self.v * 1.5
        return self.v


@program("v")
def results_of_a_changing_method_appended(x):
    thing = _Stepping(np.ones((1, 2)) * x[0])
    seen = []
    for v in [x[1], x[2]]:
        seen.append(np.dot(thing.step(), np.ones(2))[0] * v)
    seen.append(thing.step()[0, 1])
    return sum(seen) * x[3]


@program("v")
def product_with_what_a_changing_method_returns(x):
    thing = _Stepping(np.ones((2, 2)) * x[0])
    y = np.ones((3, 2)) * x[1]
    return y.dot(thing.step()).sum() * y.dot(b=thing.step()[0]).sum() * thing.v[0, 0]


@program("v")
def results_of_a_closure_that_counts_appended(x):
    count = 0.0

    def tick(v):
        nonlocal count
        count += v
        return count

    seen = []
    seen.append(tick(x[0]) * 2)
    seen.append(-tick(x[1]))
    return sum(seen) * count


@program("v")
def named_by_letters_of_a_text(x):
    held = dict(zip("abcd", x, strict=True))
    return held["a"] * held["c"] - held["d"]
