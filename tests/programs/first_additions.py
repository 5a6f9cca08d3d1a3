"""Elements that a loop reads once, and those that it meets again: of both adjoints are added up."""

from __future__ import annotations

import numpy as np

from tests.programs.corpus import program


@program(("v", 4))
def each_end_once_and_again(x):
    total = 0.0
    for i in range(4):
        total += x[i] * x[-1 - i] ** 2
    return total


@program(("v", 5), "n")
def windows_that_overlap(x, n):
    total = 0.0
    for i in range(n):
        total += np.sum(x[i : i + 2] ** 3)
    return total


@program(("v", 6))
def pairs_that_do_not_overlap(x):
    total = 0.0
    for i in range(3):
        total += np.prod(x[2 * i : 2 * i + 2])
    return total


@program(("v", 6))
def every_element_twice(x):
    total = 0.0
    for i in range(12):
        total += x[i // 2] ** 2 * i
    return total


@program(("m", 3, 3))
def rows_and_columns(x):
    total = 0.0
    for i in range(3):
        total += np.sum(x[i, :] ** 2)
        total += np.sum(x[:, i] ** 3)
    return total


@program(("m", 3, 3))
def rows_of_each_column(x):
    total = 0.0
    for i in range(3):
        for _ in range(2):
            total += np.sum(x[i, :] ** 2)
    return total


@program(("v", 5))
def places_in_a_list(x):
    total = 0.0
    for k in [0, 3, 0]:
        total += x[k] ** 2
    for k in np.array([[1, 1], [2, 4]]):
        total += np.sum(x[k] ** 3)
    return total


@program(("v", 5))
def downwards_below_zero(x):
    total = 0.0
    for i in range(2, -3, -1):
        total += x[i] * x[i] * (i + 4)
    return total


@program(("v", 5))
def chosen_by_a_count(x):
    total, k = 0.0, 0
    while k < 4:
        total += x[k] ** 2
        k += 1 if k % 2 else 2
        total += x[k] ** 3
    return total


@program(("v", 4))
def one_branch_or_the_other(x):
    total = 0.0
    for i in range(3):
        if i == 1:
            total += x[i] ** 2
        else:
            total += x[i + 1] ** 3
    return total


@program(("v", 4))
def read_under_another_name(x):
    tail, total = x[1:], 0.0
    for i in range(3):
        total += tail[i] ** 2 * x[i]
    return total + np.sum(tail)


@program(("v", 4), "n")
def begins_where_it_is_told(x, n):
    start = n - 3
    total = x[start] ** 2
    for i in range(start, 3):
        total += x[i] ** 3
    return total


@program(("v", 6))
def written_then_read_below(x):
    y = np.zeros(6)
    y[0] = x[0]
    for i in range(1, 6):
        y[i] = y[i - 1] * x[i] + x[i]
        y[i - 1] = 2.0 * y[i]
    return np.sum(y[:3] * y[3:])


@program(("v", 6))
def written_again_two_below(x):
    y = x * 2.0
    for i in range(2, 6):
        y[i] = np.sin(y[i]) * y[i - 2]
        y[i - 2] = 0.5
    return np.sum(y**2)
