"""Starred targets, tuples that grow, and lists that are linked by their entries."""

from __future__ import annotations

import numpy as np

from tests.programs.corpus import program


@program("s")
def tuple_that_grows_in_a_loop(x):
    powers = ()
    for i in range(3):
        powers += (x**i,)
    return powers[1] * powers[2]


@program("s")
def tuple_that_grows_by_hand(x):
    parts = (x,)
    parts += (2.0 * x, x * x)
    return parts[0] * parts[1] * parts[-1]


@program("s")
def list_that_takes_a_tuple(x):
    parts = [x]
    parts += (2.0 * x,)
    return parts[0] * parts[1]


@program("v")
def targets_that_are_starred_themselves(x):
    a, *(b, c) = (x[0], x[1] * x[0], x[2])
    [d, *[e, *f]] = (a * b, c, a)
    *(g, h), i = (d, e, f[0])
    total = 0.0
    for p, *(q, r) in [(a, g, h), (i, a, b)]:
        total = total + p * q * r
    return total


def _affine(v, a, b):
    return v * a + b


@program("s", "s", "s")
def starred_name_of_what_it_was_made_of(v, a, b):
    args = (a, b)
    v, *args = (v * a, *args)
    return _affine(v, *args)


@program("s", "s", "s")
def star_that_comes_first(v, a, b):
    args = (a, b)
    *args, v = (v, *args)
    return args[0] * args[1] + v


@program("s", "s", "s")
def starred_functions(v, a, b):
    first, *others = (np.sin, np.cos, np.tanh)
    for f in others:
        v = f(v) * a
    return first(v) * b


def _others(v, *args):
    v, *args = (2.0 * v, *args)
    return v * args[0]


@program("s", "s")
def arguments_that_are_unpacked_again(v, a):
    return _others(v, a) * a


@program("s", "s", "s")
def starred_name_in_branches(v, a, b):
    if a > 0.0:
        v, *args = (v, a, b)
    else:
        v, *args = (v, b, a)
    return _affine(v, *args)


@program("s")
def linked_tuples(x):
    node = None
    for i in range(3):
        node = (x * i + 1.0, node)
    total = 0.0
    while node is not None:
        value, node = node
        total = total + value * value
    return total


@program("s")
def linked_lists(x):
    node = None
    for i in range(3):
        node = [x * i + 1.0, node]
    total = 0.0
    while node is not None:
        total = total + node[0] ** 2
        node = node[1]
    return total


@program("s")
def linked_dicts(x):
    node = None
    for i in range(3):
        node = {"value": x * i + 1.0, "next": node}
    total = 0.0
    while node is not None:
        total = total + node["value"] ** 2
        node = node["next"]
    return total


@program("s")
def linked_tuples_that_end_in_an_empty_one(x):
    node = ()
    node = (x, node)
    node = (x * 2.0, node)
    total = 0.0
    while node:
        total = total + node[0] ** 2 * x
        node = node[1]
    return total


def _sum_of(x, node):
    total = 0.0
    while node is not None:
        value, node = node
        total = total + value * x
    return total


@program("s")
def linked_tuples_as_arguments(x):
    return _sum_of(x, (x, (2.0 * x, None)))


@program(("m", 2, 2))
def rows_in_the_place_of_their_matrix(x):
    node = x * 1.0
    total = 0.0
    while node.ndim > 1:
        first, node = node
        total = total + np.sum(first * first) * np.sum(node)
    return total


@program(("m", 2, 3))
def places_that_are_counted_from_lengths(x):
    flat = x.ravel()
    n, d = x.shape
    place = d
    total = 0.0
    for _ in range(n - 1):
        total = total + np.sum(flat[place : place + d] ** 2) * n
        place += d
    return total


@program(("m", 2, 3))
def power_that_is_counted_up_from_a_length(x):
    n, d = np.shape(x)
    power = n
    while power < 2 * d:
        power += n
    return np.sum(x**power) * n


@program(("m", 2, 3))
def place_that_is_counted_down_to_another_length(x):
    n, d = x.shape
    place = n * d
    total = 0.0
    while place > d:
        place -= 1
        total = total + x[place // d, place % d] ** 2
    return total * d


@program("v")
def number_that_a_loop_unpacks_an_array_over(x):
    k, total = 1, 0.0
    for _ in range(3):
        total = total + np.sum(k * x**2)
        k, _half = x * 2.0, 0.5
    return total


@program("v", "s")
def number_that_a_loop_unpacks_a_product_over(x, s):
    steps = [(2, 0.5), (3, 1.5)]
    k = 1
    for i in range(2):
        x = x * k
        k, factor = steps[i][0] * s, steps[i][1]
        x = x + factor
    return np.sum(x**2) * k


@program(("v", 4), by="tape")
def numbers_unpacked_before_a_write(x):
    y = 1.0 * x
    a, _, _, d = y
    y[0] = 0.5
    return d * a + y[1]


@program("v")
def new_entries_of_parts_in_a_row(x):
    parts = np.hsplit(x, 2)
    parts[0], parts[1] = 1.0, parts[0]
    return np.sum(x * x) + np.sum(parts[1])


@program("v")
def parts_exchanged(x):
    parts = np.split(x, 2)
    parts[0], parts[1] = parts[1], parts[0]
    return np.sum(x * x) + 3 * np.sum(parts[1])


@program("v")
def loop_that_binds_parts(x):
    parts = np.split(x, 2)
    for parts[0] in [x[:2] * 2.0, x[2:] * x[:2]]:
        x[1] += 1.0
    return np.sum(x * x) + np.sum(parts[0] * parts[1])


@program("v")
def nested_places_beside_their_index(x):
    rows = [[0.0, 0.0], [0.0, 0.0]]
    i = 0
    rows[i][0], i = x[0] * x[1], 1
    rows[i][1], rows[i][0] = x[1], x[2] * x[0]
    return rows[0][0] * rows[1][1] + rows[1][0] * x[3]


@program("v")
def loop_that_stores_before_it_binds(x):
    y = np.zeros(3)
    i, total = 0, 0.0
    for y[i], i in zip(x[:3], (1, 2, 0)):
        total = total + y[0] * y[1] + y[2]
    return total + y[2] * x[3]
