"""Loops over views of dicts, and over what several things give together."""

from __future__ import annotations

import itertools
import operator

import numpy as np

from tests.programs.corpus import program


@program("v")
def zipped_items(x):
    d = {"a": x[0] * 2, "b": x[1] * x[2]}
    t = 0.0
    for v, (k, w) in zip(x, d.items()):
        t += v * w
    return t


@program("v")
def zipped_values(x):
    d = {"a": x[0] * 2, "b": x[1] * x[2]}
    t = 0.0
    for v, w in zip(x, d.values()):
        t += v * w
    return t


@program("v")
def zipped_keys(x):
    d = {"a": x[0] * 2, "b": x[1] * x[2]}
    t = 0.0
    for v, k in zip(x, d.keys()):
        t += v * d[k]
    return t


@program("v")
def enumerated_items(x):
    d = {"a": x[0] * 2, "b": x[1] * x[2]}
    t = 0.0
    for i, (k, w) in enumerate(d.items()):
        t += x[i] * w
    return t


@program("v")
def enumerated_values(x):
    d = {"a": x[0] * 2, "b": x[1] * x[2]}
    t = 0.0
    for i, w in enumerate(d.values(), 1):
        t += x[i] * w
    return t


@program("v")
def enumerated_dict(x):
    d = {"a": x[0] * 2, "b": x[1] * x[2]}
    t = 0.0
    for i, k in enumerate(d):
        t += x[i] * d[k]
    return t


@program("v")
def enumerated_reversed(x):
    t = 0.0
    for i, v in enumerate(reversed(x)):
        t += x[i] * v * v
    return t


@program("v")
def zip_of_one_name(x):
    t = 0.0
    for pair in zip(x, x[::-1]):
        t += pair[0] * pair[1] * x[0]
    return t


@program("v")
def zip_of_enumerate(x):
    t = 0.0
    for (i, v), w in zip(enumerate(x), x[1:]):
        t += (i + 1) * v * w
    return t


@program("v")
def zip_strict(x):
    t = 0.0
    for v, w in zip(x, x[::-1], strict=True):
        t += v * w * w
    return t


@program("v")
def zip_of_zip(x):
    t = 0.0
    for (a, b), c in zip(zip(x, x[1:]), x[2:]):
        t += a * b * c
    return t


@program("v")
def pairs_of_pairwise_enumerated(x):
    t = 0.0
    for i, (a, b) in enumerate(itertools.pairwise(x)):
        t += (i + 1) * a * b
    return t


@program("v")
def items_with_tuple_keys(x):
    d = {(0, 1): x[0] * x[1], (1, 2): x[1] * x[2]}
    t = 0.0
    for (i, j), v in d.items():
        t += v * x[i] * x[j]
    return t


@program("v")
def product_loop(x):
    t = 0.0
    for a, b in itertools.product(x, repeat=2):
        t += a * b * b
    return t


@program("v")
def product_two(x):
    t = 0.0
    for a, b in itertools.product(x[:2], x[2:]):
        t += a * b * b
    return t


@program("v")
def combos(x):
    t = 0.0
    for a, b in itertools.combinations(x, 2):
        t += a * b * b
    return t


@program("v")
def combos_wr(x):
    t = 0.0
    for a, b in itertools.combinations_with_replacement(x, 2):
        t += a * b * b
    return t


@program("v")
def perms_name(x):
    t = 0.0
    for p in itertools.permutations(x, 2):
        t += p[0] * p[1] ** 2
    return t


@program("v")
def chained(x):
    t = 0.0
    for v in itertools.chain(x, x[::-1] * 2):
        t += v**2
    return t


@program("v")
def accumulate(x):
    t = 0.0
    for v in itertools.accumulate(x):
        t += v**2
    return t


@program("v")
def sorted_keys(x):
    d = {"b": x[0], "a": x[1] * x[0]}
    t = 0.0
    for k in sorted(d):
        t = t * x[2] + d[k]
    return t


@program("v")
def two_dicts(x):
    p = {"a": x[0], "b": x[1]}
    q = {"c": x[2] * x[0], "d": x[3]}
    t = 0.0
    for (i, v), (k, w) in zip(p.items(), q.items()):
        t += v * w * p[i] * q[k]
    return t


@program("v")
def set_keys(x):
    t = 0.0
    for i, k in enumerate({0, 2}):
        t += x[k] * x[i]
    return t


@program("v", "k")
def dict_arg_zip(x, p):
    t = 0.0
    for v, (k, w) in zip(x, p.items()):
        t += v * w * p[k]
    return t


@program("v")
def values_and_values(x):
    p = {"a": x[0], "b": x[1] * x[2]}
    t = 0.0
    for v, w in zip(p.values(), p.values()):
        t += v * w
    return t


@program("v")
def accumulated_products(x):
    return sum(itertools.accumulate(x, operator.mul))


@program("v")
def accumulated_by_a_function_of_its_own(x):
    def step(total, value):
        return total * value + value

    states = list(itertools.accumulate(x, step))
    return states[-1] * states[1]


@program("v")
def accumulated_from_a_start(x):
    return sum(v * v for v in itertools.accumulate(x, lambda a, b: 0.5 * a * b + 1.0, initial=2.0))


@program("v")
def accumulated_sums_from_a_start(x):
    t = 0.0
    for v in itertools.accumulate(x, initial=x[0]):
        t = t * 0.5 + v**2
    return t


@program("v")
def accumulated_arrays(x):
    return sum(np.sum(v**2) for v in itertools.accumulate([x, x * 2.0, x**2]))


@program("v")
def accumulated_arrays_that_the_loop_scales(x):
    rows = [x * 1.0, x * 2.0]
    t = 0.0
    for row in itertools.accumulate(rows):
        row *= 2.0
        t += np.sum(row)
    return t + np.sum(rows[0] ** 2)


@program("v")
def taken_while_small(x):
    t = 0.0
    for v in itertools.takewhile(lambda v: v < 1.0, x):
        t += v * v
    return t


@program("v")
def dropped_while_small(x):
    return sum(v * v for v in itertools.dropwhile(lambda v: v < 0.8, x))


@program("v")
def those_that_are_left(x):
    large = list(itertools.filterfalse(lambda v: v < 0.8, x))
    chosen = sum(v**3 for v in itertools.compress(x, [True, False, True, True]))
    return chosen + sum(large)


@program("v")
def products_of_neighbours(x):
    return sum(map(operator.mul, x, x[1:]))


@program("v")
def flattened_pairs(x):
    return sum(itertools.chain.from_iterable([v * v, v * 2.0] for v in x))


@program("v")
def beside_what_never_ends(x):
    t = 0.0
    for k, sign, first, v in zip(
        itertools.count(1), itertools.cycle([1.0, -1.0]), itertools.repeat(x[0]), x
    ):
        t += k * sign * first * v**2
    return t


@program("v")
def counted_in_steps(x):
    return sum(k * v * v for k, v in zip(itertools.count(2, 3), x))


@program("v")
def triples_by_one_name(x):
    t = 0.0
    for triple in itertools.combinations(x, 3):
        t += triple[0] * sum(triple)
    for pair in itertools.product(x, x[:2]):
        t += pair[0] * pair[1] ** 2
    return t


@program("v")
def numbered_pairs(x):
    t = 0.0
    for k, (a, b) in enumerate(itertools.combinations(x, 2), 1):
        t += k * a * b**2
    for k, pair in enumerate(itertools.permutations(x, 2)):
        t += k * pair[0] * pair[1] ** 2
    return t + sum(k * a * b for k, (a, b) in enumerate(itertools.product(x, x[:2])))


@program("v")
def tuples_of_what_the_loop_changes(x):
    values = [x[0], x[1], x[2]]
    t = 0.0
    for a, b in itertools.combinations(values, 2):
        values[0] = values[0] * 2.0
        t += a * b
    for pair in itertools.product(values, repeat=2):
        values[1] = values[1] * 0.5
        t += pair[0] * pair[1] ** 2
    return t + values[0] * values[1]


@program("v", by="tape")
def pairs_of_what_the_loop_changes(x):
    values = [x[0], x[1], x[2]]
    t = 0.0
    for a, b in itertools.pairwise(values):
        values[1] = values[1] * 2.0
        t += a * b**2
    return t


@program("v", "n")
def permutations_of_a_number_that_is_given(x, n):
    t = 0.0
    for p in itertools.permutations(x[:n], n):
        s = 1.0
        for i in range(n):
            s = s + p[i] * x[i]
        t += s * s
    return t


@program("m")
def permutations_of_rows(x):
    n = len(x)
    return np.max([np.sum([p[i] @ x[i] for i in range(n)]) for p in itertools.permutations(x, n)])


@program("v", "n")
def choices_of_a_number_that_is_given(x, n):
    return sum(np.prod(chosen) for chosen in itertools.combinations([*x], n))
