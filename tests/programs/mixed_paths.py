"""Programs whose values are lists or dicts on one path and numbers on another; trees of such."""

from __future__ import annotations

import math

import numpy as np

from tests.programs.corpus import program


def _single_or_all(entries):
    return entries[0] if len(entries) == 1 else entries


@program("v")
def single_entry_or_all(x):
    return _single_or_all([math.exp(x[0])]) * x[1]


@program("v")
def list_of_an_array_or_its_entry(x):
    squares = x * x
    if x[1] > 9.0:
        out = list(squares)
    else:
        out = squares[0]
    return (sum(out) if isinstance(out, list) else out) * x[1]


@program("v")
def dict_or_number(x):
    p = {"a": x[0], "b": x[1] * 2.0}
    if x[2] > 9.0:
        p = x[1] * x[2]
    return (p["a"] * p["b"] if isinstance(p, dict) else p) * 2.0


@program("v")
def number_or_dict(x):
    p = {"a": x[0], "b": x[1] * 2.0}
    if x[2] > -9.0:
        p = x[1] * x[2]
    return (p["a"] * p["b"] if isinstance(p, dict) else p) * 2.0


def _rows_or_entry(table, place):
    if isinstance(table, tuple):
        return tuple(row[place] for row in table)
    return table[place]


@program("v")
def entry_where_tables_have_rows(x):
    return _rows_or_entry(x, 2) ** 2


def _summed(tree, x):
    if isinstance(tree, tuple):
        left, right = tree
        return _summed(left, x) + _summed(right, x)
    if isinstance(tree, int):
        return x[tree]
    return tree


@program("v")
def tree_of_places_and_numbers(x):
    return _summed((0, (1, 2.0)), x) * x[2]


def _evaluated(tree, known):
    if isinstance(tree, str):
        return known[tree]
    if isinstance(tree, float):
        return tree
    _, *parts = tree
    return sum([_evaluated(part, known) for part in parts])


@program("v")
def tree_of_names(x):
    return _evaluated(("+", "a", ("+", "b", 2.0)), {"a": x[0], "b": x[1]}) ** 2


def _soft_choice(tree, share):
    if not isinstance(tree, dict):
        return tree
    return share * _soft_choice(tree["r"], share) + (1 - share) * _soft_choice(tree["l"], share)


@program("v")
def soft_decision_tree(x):
    return _soft_choice({"l": x[0], "r": {"l": x[1], "r": x[2]}}, x[1])


@program("v")
def parts_reached_by_a_path(x):
    settings = {"a": {"b": x[0]}}
    for part in "a.b".split("."):
        settings = settings[part]
    return settings * x[1]


@program("v")
def entry_reached_by_indices(x):
    part = np.stack([x, x * x])
    for place in (1, 0):
        part = part[place]
    return part * x[1]


def _layer(weights, h):
    s = weights["w"] * h
    for _ in range(2):
        s = s * weights["w"]
    return s


@program("v")
def dict_of_which_a_function_reads_one_key(x):
    weights = {"w": x[0], "b": x[1]}
    return _layer(weights, x[2])


def _named(weights, name=None):
    if name is None:
        return weights["a"]
    return weights[name]


@program("v")
def key_that_a_function_is_not_told(x):
    return _named({"a": x[0], "b": x[1]}) * _named({"a": x[2], "b": x[1]}, "b")


def _two_rows(x):
    rows = np.zeros((2, len(x)))
    rows[0] = x
    rows[1] = x * x
    return rows * 2.0 + rows


@program("v")
def rows_that_a_writing_function_gives(x):
    a, b = _two_rows(x)
    return np.sum(a * b * b)


def _products_of_neighbours(x):
    found = np.zeros(2)
    for i in range(2):
        found[i] = x[i] * x[i + 1]
    return found * 3.0


@program("v")
def numbers_that_a_writing_function_gives(x):
    a, b = _products_of_neighbours(x)
    return a * b * b


def _doubled_and_passed_on(f, *args):
    doubled = ()
    for a in args:
        doubled = doubled + (a * 2.0,)  # noqa: RUF005 - as one adds to a tuple
    return f(*doubled)


@program("v")
def arguments_joined_one_by_one(x):
    return _doubled_and_passed_on(lambda a, b: a * b * b, x[0], x[1])


def _kept_and_passed_on(f, *args):
    kept = ()
    for a in args:
        kept = kept + (a,)  # noqa: RUF005
        a = a * 2.0
    return f(*kept) * a


@program("v")
def arguments_joined_before_they_change(x):
    return _kept_and_passed_on(lambda a, b: a * b * b, x[0], x[1])


def _up(n, x):
    return x[0] if n == 0 else x[1] * _down(n - 1, x)


def _down(n, x):
    return x[2] if n == 0 else x[0] + _up(n - 1, x)


@program("v")
def two_that_take_turns_in_expressions(x):
    return _up(5, x)


@program("v")
def list_of_rows_or_its_only_row(x):
    found = [np.sin(x[:2])]
    if x[0] > 9.0:
        found.append(np.cos(x[:2]))
    out = found
    if len(found) == 1:
        out = found[0]
    return np.sum(out)


@program("v")
def list_of_rows_and_not_its_only_row(x):
    found = [np.sin(x[:2])]
    if x[0] > -9.0:
        found.append(np.cos(x[:2]))
    out = found
    if len(found) == 1:
        out = found[0]
    return np.sum(out)


@program("v")
def entry_doubled_on_the_way_to_it(x):
    part, n = np.stack([x, x * x]), 0
    while part.ndim > 0:
        part = part[n % 2] * 2.0
        n += 1
    return part * x[0]
