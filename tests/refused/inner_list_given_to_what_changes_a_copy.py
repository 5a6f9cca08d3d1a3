"""Helpers that copy, or add up, a list out of what they get, compiled as if it were an array."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def scaled(rows):
    first = rows[0].copy()
    first[0] = first[0] * 3.0
    return first[0] * first[1] * rows[0][0]


def totals(table):
    total = 1.0
    for row in table.values():
        total = total * sum(row) + np.sum(row)
    return total


def program(x):
    one = scaled([[x, x * x], [x]])  # SG101
    two = totals({"a": [x, 2.0 * x], "b": [x * x]})  # SG101
    return np.sum(one) * two
