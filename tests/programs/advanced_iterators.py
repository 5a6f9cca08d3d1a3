"""Iterators that the program advances itself (`iter`, `next`, `tee`), and ones with names."""

from __future__ import annotations

import itertools

import numpy as np

from tests.programs.corpus import program


def _neighbours(items):
    first, second = itertools.tee(items)
    next(second, None)
    return zip(first, second)


def _in_threes(items):
    a, b, c = itertools.tee(items, 3)
    next(b, None)
    next(c, None)
    next(c, None)
    return zip(a, b, c)


@program("v")
def neighbours_in_a_loop(x):
    total = 0.0
    for a, b in _neighbours(x):
        total = total + a * b**2
    return total + sum(p[0] * p[1] for p in _neighbours([v * 2.0 for v in x]))


@program("v")
def threes_of_neighbours(x):
    return sum(a * b * c for a, b, c in _in_threes(x))


@program("v")
def first_and_then_the_rest(x):
    items = iter(x)
    before = next(items)
    total = before**3
    for value in items:
        total = total + (value - before) ** 2
        before = value
    return total


@program("v")
def rows_after_the_first(x):
    rows = iter(np.outer(x, x))
    head = next(rows)
    return np.sum(head) + sum(np.sum(row * head) for row in rows)


@program("v")
def in_pairs_of_one_iterator(x):
    items = iter(x)
    return sum(a * b for a, b in zip(items, items))


@program("v")
def parts_by_islice(x):
    total = 0.0
    for a, b in zip(itertools.islice(x, 0, None, 2), itertools.islice(x, 1, None, 2)):
        total = total + a * b
    return total


@program("v")
def first_that_fits(x):
    first = next(v * 2.0 for v in x if v > -100.0)
    none = next((v * 2.0 for v in x if v > 100.0), 3.0)
    return first * none * x[1]


@program("v")
def default_of_what_is_used_up(x):
    items = iter([x[0], x[1] * x[2]])
    a, b = next(items), next(items, 2.0)
    return a * b + next(items, x[3])


@program("v")
def two_names_of_one_iterator(x):
    items = iter(x)
    same = items
    return next(items) * next(same) ** 2 + np.sum(list(items))


@program("v")
def source_bound_anew(x):
    values = [v * 2.0 for v in x]
    items = iter(values)
    a = next(items)
    values = [1.0, 2.0]
    return a * sum(items) + values[0]


@program("v")
def iterators_with_names(x):
    pairs = zip(x, x[1:])
    turned = reversed(x)
    large = filter(lambda v: v > -100.0, x)
    total = 0.0
    for v in turned:
        total = total * 0.5 + v
    return total + sum([a * b for a, b in pairs]) * max(v * 2.0 for v in large)


def _summed(rows, axis):
    if axis == 0:
        rows = zip(*rows)
    return [sum(row) for row in rows]


@program("v")
def rows_turned_or_not(x):
    rows = [[x[0], x[1] ** 2], [x[2], x[3]]]
    return _summed(rows, 0)[1] * _summed(rows, 1)[0]


@program("v", by="tape")
def advanced_in_a_loop(x):
    items = iter(x)
    total = 0.0
    for _ in range(2):
        total = total * 2.0 + next(items)
    return total


@program("v", by="tape")
def advanced_in_a_branch(x):
    items = iter(x)
    a = next(items) if x[0] > -100.0 else 1.0
    if a > -100.0:
        next(items)
    return a * next(items)


@program("v")
def written_while_it_is_run_through(x):
    values = [v * 2.0 for v in x]
    items = iter(values)
    total = next(items)
    for v in items:
        values[3] = v * 2.0
        total = total + v
    return total * values[3]


@program("v")
def written_by_another_name(x):
    values = [x[0], x[1], x[2]]
    same, items = values, iter(values)
    total = next(items)
    for v in items:
        same[2] = v * 2.0
        total = total + v * v
    return total * values[2]


@program("v", by="tape")
def grown_while_it_is_run_through(x):
    values = [x[0], x[1]]
    items = iter(values)
    total = next(items)
    for v in items:
        if len(values) < 4:
            values.append(v * 2.0)
        total = total + v * v
    return total


@program("v", by="tape")
def run_through_twice(x):
    pairs = zip(x, x[1:])
    total = sum([a * b for a, b in pairs])
    for a, _ in pairs:
        total = total + 100.0 * a
    return total
