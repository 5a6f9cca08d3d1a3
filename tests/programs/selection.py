"""Programs that select elements of values which are not finite, or steep, where they are not used.

Each has arguments at the edge of its domain: see `tests/programs/test_selection.py`.
"""

from __future__ import annotations

import numpy as np

from tests.programs.corpus import program


@program("v", warns=True)
def root_of_the_positive(x):
    return np.sum(np.where(x > 0, np.sqrt(x), 0))


@program("v", warns=True)
def named_steps(x):
    root = np.sqrt(x)
    y = np.where(x > 0, root * 2 + 1, x)
    return np.sum(y * y)


@program("m", warns=True)
def unit_rows(v):
    n = np.sqrt(np.sum(v * v, axis=-1, keepdims=True))
    return np.sum(np.where(n > 0, v / n, 0) * (v + 1.0))


@program("v", "v", warns=True)
def condition_of_another(x, y):
    return np.sum(np.where(y > 0, np.log(x * x), x) ** 2)


@program("m", "v", warns=True)
def broadcast_operand(w, x):
    return np.sum(np.where(w > 0, np.sqrt(x * x) * w, 0) ** 2)


@program("v", "m", warns=True)
def broadcast_condition(x, w):
    return np.sum(np.where(x > 0, 1.0 / np.sqrt(np.abs(x)) * w, 0))


@program("v", warns=True)
def missing_values(y):
    data = np.array([1.0, np.nan, 2.0, -1.0])
    return np.sum(np.where(np.isnan(data), 0, (data - y) ** 2 * np.sin(data * y)))


@program("v", warns=True)
def one_in_the_other(x):
    inner = np.where(x < -0.5, np.sqrt(-0.5 - x), 0)
    return np.sum(np.where(x > 0, x * np.log(x), inner))


@program("v", warns=True)
def both_branches(x):
    a = np.abs(x)
    return np.sum(np.where(a > 0, np.log(a) * a, 0) + np.where(x > 0, np.exp(a), np.sqrt(a)))


@program("v", warns=True)
def used_twice(x):
    root = np.sqrt(x * x)
    return np.sum(np.where(x > 0, root * root, 0)) + np.sum(np.where(x > 0, root, 1.0))


@program("v", warns=True)
def two_conditions(x):
    root = np.sqrt(x * x)
    return np.sum(np.where(x > 0.5, root, 0) * 3.0 + np.where(x < -0.5, root, 1.0))


@program("v", warns=True)
def used_elsewhere_too(x):
    power = np.exp(x)
    return np.sum(np.where(x > 0, power, 0)) + np.sum(power * power)


@program("v", warns=True)
def bounded_below(x):
    return np.sum(np.maximum(np.log(np.abs(x)), -10.0))


@program("v", warns=True)
def bounded_above(x):
    return np.sum(np.minimum(np.exp(x * 100.0), 5.0) * x)


@program("v", warns=True)
def bounded_both_ways(x):
    return np.sum(np.clip(np.log(np.abs(x)), -10.0, 10.0) ** 2)


@program("v", warns=True)
def several_choices(x):
    return np.sum(np.select([x > 0, x < 0], [np.sqrt(x), np.log(-x)], x**2))


@program("v", warns=True)
def chosen_in_a_loop(x):
    total = 0.0
    for i in range(3):
        total = total + np.sum(np.where(x > 0, np.sqrt(x) * (i + 1), 0))
    return total


@program("v", warns=True)
def chosen_in_a_branch(x):
    y = x * 1.0
    if np.sum(x) > -100.0:
        y = np.where(x > 0, np.sqrt(x), 0)
    return np.sum(y)


@program("v", warns=True)
def carried_through_a_loop(x):
    y = np.where(x > 0, np.sqrt(x), 0)
    for _ in range(3):
        y = np.where(y > 0, np.sqrt(y), 0)
    return np.sum(y)


@program("v", warns=True)
def single_numbers(x):
    return float(np.where(x[0] > 0, np.sqrt(x[0] ** 2), 0.0)) * x[1]


@program("v", warns=True)
def condition_bound_anew(x):
    test = x > 0
    y = np.where(test, np.sqrt(x), 0)
    test = x < 0
    return np.sum(y) + np.sum(np.where(test, np.sqrt(-x), 0))


@program("v", warns=True)
def counted_condition(x):
    count = np.array([2, 0, 1, 0])
    return np.sum(np.where(count, np.where(x > 0, np.sqrt(x), 0), x))


@program("v", warns=True)
def summed_where_it_is_positive(x):
    return np.sum(np.sqrt(x), where=x > 0) + np.mean(np.log(x * x), where=x < 0)


@program("m", "v")
def chosen_of_what_another_name_reads_too(x, g):
    h = g
    h *= np.tanh(np.var(x))
    chosen = np.where(h > 9.0, h, 1.2)
    return np.sum(chosen) + g.mean()


@program("v", "s")
def chosen_of_a_part_of_what_is_read(x, s):
    y = x * 1.0
    part = y[1:]
    part *= np.sqrt(s * s)
    return np.sum(np.where(part > 9.0, part, 0.5)) + np.sum(y * y)


@program("v", "s")
def chosen_of_the_whole_of_which_a_part_is_read(x, s):
    y = x * 1.0
    part = y[:2]
    y /= np.sqrt(s * s)
    chosen = np.where(y > 9.0, y, 0.5)
    return np.sum(chosen) + part[0] * part[1]


def _kept_inside(value, big=1e12):
    return (-big if np.isneginf(value) else big) if np.isinf(value) else value


@program("v")
def constants_chosen_in_a_choice(x):
    return _kept_inside(x[0]) * x[1]


@program("v")
def constants_chosen_in_what_is_returned(x):
    return _kept_inside(x[1])


@program("v")
def clipped_from_one_side(x):
    low = np.clip(x[0] * x[1], 0.0, None)
    return np.sum(np.clip(x * x, None, 0.7) * x) + low
