"""Lists that helpers make and return, changed by who called them."""

from __future__ import annotations

import numpy as np

from tests.programs.corpus import program


def powers(values):
    made = [values[0]]
    for value in values[1:]:
        made.append(made[-1] * value)
    return made


def arrays(values):
    made = []
    for k in range(3):
        made.append(np.sin(values * (k + 1)))
    return made


def in_order(tree):
    return [] if tree is None else in_order(tree[1]) + [tree[0]] + in_order(tree[2])  # noqa: RUF005


@program("v")
def entries_put_and_taken(x):
    made = powers(x)
    last = made.pop()
    made[0] = made[0] * last
    made.append(x[0])
    made += powers(x[:2])
    made.insert(0, made.pop())
    return sum(value * (k + 1) for k, value in enumerate(made))


@program("v")
def turned_and_sorted(x):
    made = powers(x)
    made.reverse()
    again = powers(x[::-1])
    again.sort()
    again.extend(made[:2])
    del again[0]
    return made[0] * made[2] ** 2 + again[0] * again[4]


@program("v")
def in_each_trip(x):
    total = 0.0
    for k in range(3):
        made = powers(x * (0.5 + 0.1 * k))
        made.append(total)
        made.reverse()
        total = total + made[0] * made[2] + made[1]
    return total


@program("v")
def arrays_that_are_joined(x):
    made = arrays(x) + powers([x, x])
    made.append(made[0] * x)
    return np.sum(made[1] * made[3]) + np.sum(made[5])


@program("v")
def tree_in_order(x):
    found = in_order((x[0], (x[1], None, None), (x[2], None, (x[3], None, None))))
    return found[0] * found[2] ** 2 + found[3]
