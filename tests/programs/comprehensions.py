"""Programs with comprehensions, generator expressions and what uses them up."""

from __future__ import annotations

import functools
import itertools
import math

import numpy as np

from tests.programs.corpus import program

OFFSETS = (0.5, -0.25, 1.5)


@program("v")
def squares_in_a_list(x):
    squares = [v * v for v in x]
    return sum(squares) * squares[0]


@program("v")
def name_of_a_variable_used_again(x):
    v = x[0] * 2.0
    parts = [v * v for v in x]
    return parts[1] * v


@program("v")
def list_replaces_what_it_is_made_of(x):
    x = [np.sin(v) for v in x]
    x = [v * w for v, w in zip(x, x[1:])]
    return x[0] + x[-1] * x[1]


@program("v")
def two_loops_and_a_condition(x):
    return sum(a * b * b for a in x for b in x if a > b)


@program("m")
def comprehension_in_a_comprehension(a):
    table = [[v * v for v in row] for row in a]
    return sum(sum(row) for row in table) * table[1][2]


@program("m")
def inner_variable_of_the_same_name(a):
    return sum(sum(v * v for v in v) * v[0] for v in a)


@program("v")
def conditional_entries(x):
    clipped = [v if v > 0 else 0.1 * v for v in x]
    return np.sum(np.array(clipped) ** 2)


@program("v")
def condition_with_enumerate(x):
    odd = [i * v for i, v in enumerate(x) if i % 2]
    return sum(odd) * odd[0]


@program("v")
def indices_without_derivatives(x):
    order = [i for i, v in enumerate(x) if v > -5.0]
    return sum(x[i] ** 2 * (k + 1) for k, i in enumerate(order))


@program("v", "v")
def products_by_zip(x, y):
    return sum(a * b for a, b in zip(x, y)) + sum(a - b * b for a, b in zip(x[1:], y))


@program("v")
def dict_of_powers(x):
    powers = {k: x**k for k in range(1, 4)}
    return np.sum(powers[3] * powers[1]) + sum(np.sum(p) for p in powers.values())


@program("d")
def dict_scaled(params):
    scaled = {name: 0.5 * value for name, value in params.items()}
    return np.sum(scaled["w"] ** 2) + np.sum(np.sin(scaled["b"]))


@program("d")
def squares_of_all_parameters(params):
    return sum(np.sum(value**2) for value in params.values())


@program("v")
def largest_of_a_generator(x):
    return max(v * v for v in x) + min(v - 0.1 for v in x)


@program("v")
def largest_by_a_key(x):
    far = max(x, key=lambda v: (v - 0.3) ** 2)
    near = min(x, key=lambda v: abs(v - 0.3))
    return far * near


@program("v")
def largest_of_none(x):
    found = [v for v in x if v > 100.0]
    return max(found, default=x[0]) * x[1]


@program("v")
def sum_from_a_start(x):
    return sum((v * v for v in x), x[0]) * sum([], x[1])


@program("v")
def tests_of_all_and_any(x):
    if all(v < 10.0 for v in x) and any(v > -10.0 for v in x):
        return sum(v**3 for v in x)
    return x[0]


@program("v")
def map_and_filter(x):
    kept = list(filter(lambda v: v > -0.5, map(lambda v: v * 2.0, x)))
    return sum(kept) * x[0]


def _double(v):
    return 2.0 * v * v


@program("v")
def map_of_a_function(x):
    return sum(map(_double, x)) + sum(_double(v) for v in x[1:])


@program("v", "v")
def map_over_two(x, y):
    return sum(map(lambda a, b: a * b + a, x, y))


@program("v")
def horner_by_reduce(x):
    return functools.reduce(lambda total, c: total * 0.7 + c, x, 0.0)


@program("v")
def reduce_without_a_start(x):
    return functools.reduce(lambda a, b: a * b + b, x)


@program("v")
def distances_of_all_pairs(x):
    return sum((a - b) ** 2 for a, b in itertools.combinations(x, 2))


@program("v")
def products_of_neighbours(x):
    return sum(a * b for a, b in itertools.pairwise(x)) * x[0]


@program("v", "v")
def all_products(x, y):
    return sum(a * b * b for a, b in itertools.product(x, y))


@program("v")
def chained_parts(x):
    return sum(v * v * v for v in itertools.chain(x[:2], x[1:], [x[0]]))


@program("v")
def slice_of_an_iterator(x):
    return sum(v * v for v in itertools.islice(x, 1, 3)) * x[0]


@program("v")
def rows_stacked(x):
    rows = np.stack([x * k + np.sin(x) for k in range(3)])
    return np.sum(rows @ rows.T)


@program("v")
def array_of_nested_lists(x):
    matrix = np.array([[x[i] * x[j] if i != j else 1.0 for j in range(3)] for i in range(3)])
    return np.sum(matrix**2)


@program("v")
def pieces_concatenated(x):
    pieces = [x[i:] * x[i] for i in range(3)]
    return np.sum(np.concatenate(pieces) ** 2)


@program("v")
def vandermonde_by_rows(x):
    powers = np.array([[v**k for k in range(3)] for v in x])
    return np.sum(powers @ np.array(OFFSETS))


@program("v")
def comprehension_in_a_loop(x):
    for _ in range(3):
        x = np.array([v * 0.5 + math.sin(v) for v in x])
    return np.sum(x)


@program("s", "n")
def zero_trips(s, n):
    parts = [s * k for k in range(n - 3)]
    return sum(parts) + s * s


@program("v")
def comprehension_on_one_path(x):
    total = x[0] * 2.0
    if x[0] < 50.0:
        total = total + sum([v * v for v in x if v < 50.0])
    return total


@program("v")
def unpacked_comprehension(x):
    first, *rest = [v * v for v in x]
    *init, last = rest
    return first * last + sum(init)


@program("v")
def pairs_made_and_read(x):
    pairs = [(v, v * v) for v in x]
    return sum(a * b for a, b in pairs) + pairs[0][1]


@program("v")
def sorted_by_value(x):
    ranked = sorted(x, key=lambda v: -v)
    return sum((i + 1) * v for i, v in enumerate(ranked))


@program("v")
def sorted_in_reverse(x):
    return sum(v * (i + 1.0) for i, v in enumerate(sorted([u * u for u in x], reverse=True)))
