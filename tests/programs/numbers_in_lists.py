"""Programs over lists of numbers, and lists of such, which helpers are given and fill."""

from __future__ import annotations

import numpy as np

from tests.programs.corpus import program


def shares(amounts, masses):
    count = len(amounts)
    found = [0.0] * count
    total = 0.0
    for i in range(count):
        mass = amounts[i] * masses[i]
        found[i] = mass
        total += mass
    total = 1.0 / total
    for i in range(count):
        found[i] *= total
    return found


@program("v", "v")
def shares_of_lists(x, y):
    amounts = [1.5 + np.sin(item) for item in x]
    masses = [2.0 + np.cos(item) for item in y]
    return shares(amounts, masses)[1]


def pairs_by_rows(a, b, out=None):
    if out is None:
        out = [[0.0] * len(b) for _ in range(len(a))]
    for i in range(len(a)):
        row = out[i]
        for j in range(len(b)):
            row[j] += a[i] * b[j] ** 2
    return out


@program("v", "v")
def a_table_filled_by_its_rows(x, y):
    table = pairs_by_rows(x, y)
    return table[0][1] * table[1][0] + table[-1][-1]


def mixed(table, weights):
    total = 0.0
    for i, row in enumerate(table):
        part = 0.0
        for w, cell in zip(weights, row):
            part += w * cell
        total += weights[i] * part
    return total


@program("s", "s")
def a_table_handed_on(a, b):
    table = [[a, a * b, b], [b, a + b, a], [a * a, b, b]]
    weights = [b, a, a - b]
    return mixed(table, weights) * table[0][1]


def halves_that_lie_in_one(x):
    whole = [np.zeros(2), np.zeros(2)]
    first = whole[0]
    first[0] = x[0] * x[1]
    first[1] = x[1]
    whole[1][:] = first * x[0]
    return whole


@program("v")
def arrays_in_a_list_that_is_returned(x):
    first, second = halves_that_lie_in_one(x)
    return np.sum(first * second)


def sums_of_rows(table, weights):
    places = range(len(weights))
    sums = []
    for j in places:
        total, row = 0.0, table[j]
        for k in places:
            total += row[k] * weights[k]
        sums.append(total)
    return sums


@program("s", "s")
def a_range_with_a_name(a, b):
    sums = sums_of_rows([[a, a * b], [b, a + b]], [a - b, b * b])
    return sums[0] * sums[1]


def halves(x, first):
    return {place + first: v * 0.5 for place, v in enumerate(x)}


@program("v")
def keys_of_dicts_that_were_appended(x):
    parts = []
    for first in range(3):
        parts.append(halves(x, first))
    part = parts[1]
    total = 0.0
    for key in part:
        whole = np.full(2, key, dtype=float)
        whole[1] = whole[1] * x[0]
        total = total + part[key] * whole[1]
    return total
