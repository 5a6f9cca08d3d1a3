"""Generators of the module and of classes: loops over them, and calls that use all their values."""

from __future__ import annotations

import functools
import itertools

import numpy as np

from tests.programs.corpus import program


def powers(x):
    for i in range(3):
        yield x**i


def counted_down(x, n):
    while True:
        if n == 0:
            return
        x = x * np.cos(x)
        n -= 1
        yield x


def pairs(x):
    for i in range(len(x) - 1):
        for j in range(i + 1, len(x)):
            yield i, x[i] * x[j]


def doubled_in_place(x):
    y = x.copy()
    for i in range(len(y)):
        y[i] = y[i] * 2.0
        yield y


def without_end(x):
    while True:
        yield x
        x = np.sin(x)


def of_others(x):
    yield from counted_down(x, 2)
    yield x
    yield from [x * 2.0, x * 3.0]


def guarded(x):
    try:
        for i in range(3):
            yield x * i
    finally:
        pass


def halved(x, n):
    if n > 0:
        yield x * n
        yield from halved(x * 0.5, n - 1)


def scaled(x, *, most=2, **options):
    for i in range(most):
        yield x**i * options.get("scale", 1.0)


def a_few(x):
    for i in range(10):
        if i > 3:
            return
        yield x * i


class Steps:
    def __init__(self, number):
        self.number = number

    def from_(self, x):
        for i in range(self.number):
            x = x + 0.1 * np.sin(x)
            yield i, x


@program("v")
def loop_over_a_generator(x):
    total = 0.0
    for y in powers(x):
        total = total + np.sum(y)
    return total


@program("v")
def calls_that_use_up_a_generator(x):
    a, b, c = powers(x)
    first = np.sum(np.array(list(powers(x)))) + np.sum(sum(powers(x))) + np.sum(a * b * c)
    second = sum(powers(x[0])) * max(powers(x[1])) + np.sum(np.concatenate([*powers(x)]))
    return first + second + functools.reduce(lambda s, y: s + np.sum(y), powers(x), 0.0)


@program("v")
def comprehensions_over_a_generator(x):
    found = {i: y for i, y in Steps(3).from_(x)}
    return sum(np.sum(y * y) for y in powers(x)) + np.sum(found[0] * found[2])


@program("v")
def loop_that_leaves_a_generator(x):
    total = 0.0
    for y in counted_down(x, 3):
        if total > 100.0:
            break
        total += np.sum(y)
    for k, y in enumerate(without_end(x)):
        if k >= 3:
            break
        total += np.sum(y) * k
    return total


@program("v")
def loop_that_goes_on_in_a_generator(x):
    total = 0.0
    for i, p in pairs(x):
        if i == 1:
            continue
        total += p
    return total


@program("v")
def loop_with_an_end_over_a_generator(x):
    total = 0.0
    for y in a_few(x):
        total += np.sum(y * y)
    else:  # noqa: PLW0120
        total *= 2.0
    return total


@program("v")
def loop_over_an_array_that_a_generator_writes(x):
    total = 0.0
    for y in doubled_in_place(x):
        total += np.sum(y**2)
    return total


@program("v")
def generators_that_hand_on_others(x):
    total = 0.0
    for y in of_others(x):
        total += np.sum(y**2)
    return total


@program("v")
def generator_with_options(x):
    total = 0.0
    for y in scaled(x, most=3, scale=2.0):
        total += np.sum(y)
    return total


@program("v")
def generator_that_is_a_method(x):
    model = Steps(4)
    total = 0.0
    for i, y in model.from_(x):
        total += i * np.sum(y)
    return total


@program("v")
def generators_in_each_other(x):
    total = 0.0
    for y in counted_down(x, 3):
        for z in a_few(y):
            total += np.sum(z * y)
    return total


@program("v")
def loop_that_rebinds_what_a_generator_was_given(x):
    total = 0.0
    for y in a_few(x):
        x = x * 0.5
        total += np.sum(y * x)
    return total


@program("v")
def loop_that_writes_what_a_generator_was_given(x):
    z = x.copy()
    total = 0.0
    for y in counted_down(z, 2):
        z[0] = 5.0
        total += np.sum(y * z)
    return total


@program("v")
def loop_that_updates_what_a_generator_gives(x):
    total = 0.0
    for y in a_few(x):
        y *= 2.0
        total += np.sum(np.sin(y))
    return total


@program("v")
def generator_that_reads_what_changes_around_it(x):
    n = 3

    def multiples():
        for i in range(n):
            yield x * i

    total = 0.0
    for y in multiples():
        total += np.sum(y * y)
    n = 2
    for y in multiples():
        total += np.sum(y * y * y)
    return total


@program("v")
def generator_that_stands_in_a_try(x):
    total = 0.0
    for y in guarded(x):
        total += np.sum(y**2)
    return total


@program("v")
def generator_that_calls_itself(x):
    total = 0.0
    for y in halved(x, 3):
        total += np.sum(y * y)
    return total


def in_order(node, x):
    if node is not None:
        left, place, right = node
        yield from in_order(left, x)
        yield x[place] ** 2
        yield from in_order(right, x)


TREE = ((None, 1, None), 0, ((None, 2, None), 1, None))


@program("v")
def tree_walked_by_a_generator(x):
    total = 0.0
    for depth, value in enumerate(in_order(TREE, x)):
        total += value * depth
    return total


@program("v")
def walk_of_a_tree_that_is_added_up(x):
    return sum(value * x[0] for value in in_order(TREE, x)) * x[1]


@program("v")
def walk_of_a_tree_that_is_kept(x):
    kept = []
    for value in in_order(TREE, x):
        kept.append(value * x[1])
    return kept[0] * kept[-1] + len(kept)


def products_of(values, k, start, product):
    if k == 0:
        yield product
        return
    for i in range(start, len(values)):
        yield from products_of(values, k - 1, i + 1, product * values[i])


@program("v")
def symmetric_polynomials_by_a_generator(x):
    return sum(products_of(x, 2, 0, 1.0)) + sum(products_of(x, 3, 0, 1.0))


@program("v", by="tape")
def walk_whose_loop_writes_what_it_reads(x):
    values = x * 1.0
    total = 0.0
    for value in in_order(TREE, values):
        values[1] = values[1] * 2.0
        total += value
    return total


@program("v", by="tape")
def walk_that_is_left_early(x):
    for value in in_order(TREE, x):
        if value > 0.5:
            return value
    return x[0]


@program("v")
def return_from_a_loop_over_a_generator(x):
    for y in a_few(x):
        if np.sum(y) > -100.0:
            return np.sum(y * y) + np.sum(x)
    return 0.0


@program("v", by="tape")
def generator_that_is_asked_for_one_value(x):
    values = a_few(x)
    next(values)
    total = 0.0
    for y in itertools.islice(values, 2):
        total += np.sum(y)
    return total


@program("v", by="tape")
def list_of_one_array_that_a_generator_writes(x):
    return np.sum(np.array(list(doubled_in_place(x))))


@program("v")
def sum_over_an_array_that_a_generator_writes(x):
    return sum(np.sum(y**2) for y in doubled_in_place(x))


def squares(x):
    for v in x:
        yield v * v


def _first_above(x, bound):
    for y in squares(x):
        if y > bound:
            return y * x[1]
    return x[0] * x[1]


@program("v")
def first_of_a_generator_that_will_do(x):
    return _first_above(x, 0.01) * _first_above(x * 2.0, 50.0) + x[2]


@program("v")
def return_from_a_numbered_loop_over_a_generator(x):
    total = 0.0
    for i, y in enumerate(squares(x)):
        total += y * i
        if total > 0.02:
            total = total * 2.0
            return total + x[0]
    return x[0] * total


@program("v")
def list_of_what_is_made_of_an_array_in_turn(x):
    parts = [np.sum(y**2) * 2.0 for y in doubled_in_place(x) if np.sum(y) > -9.0]
    return parts[0] * parts[1] + x[0]


def counted_in_a_log(x, log):
    try:
        y = x * 1.0
        while log[0] < 3:
            y = y * x
            yield y
            log[0] += 1
    finally:
        log[1] = 7


@program("v")
def log_that_last_steps_write(x):
    total = 0.0
    log = [0, 0]
    for y in counted_in_a_log(x, log):
        total = total * y[0] + np.sum(y)
    return total * log[1] + log[0]


@program("v")
def trips_left_out_of_a_guarded_generator(x):
    total = x[1]
    for k, y in enumerate(guarded(x)):
        if k == 1:
            continue
        total = total + np.sum(y * y * k)
    return total


class Series:
    """A series whose terms a method yields, each made of the one before."""

    def __init__(self, ratio):
        self.ratio = ratio

    def terms(self, count):
        term = 1.0
        for k in range(1, count):
            yield term
            term *= self.ratio / k

    def total(self, count):
        return sum(self.terms(count))


@program("v")
def terms_of_a_method_used_up(x):
    first, *rest = Series(x[0]).terms(5)
    kept = list(Series(x[1]).terms(4))[2]
    return first + rest[1] * kept + Series(x[2]).total(4) * max(Series(x[3]).terms(3))


@program("v")
def terms_of_a_method_beside_numbers(x):
    series = Series(x[1])
    numbered = dict(enumerate(series.terms(4)))
    return sum(t * v for t, v in zip(series.terms(5), x)) * numbered[2]


def powers_in_place(x):
    power = x * 1.0
    for _ in range(3):
        yield power
        power *= x


@program("v")
def arrays_updated_after_they_are_summed(x):
    return np.sum(sum(powers_in_place(x)) * x)


@program("v")
def arrays_updated_after_they_are_kept(x):
    a, b, c = powers_in_place(x)
    return np.sum(a * x) + np.sum(b * c) + np.sum(list(powers_in_place(x))[1])


@program("v", by="tape")
def arrays_updated_where_a_zip_ends_first(x):
    pairs = list(zip(powers_in_place(x), [1.0, 2.0]))
    return np.sum(pairs[0][0])


def powers_without_end(x):
    power = 1.0
    while True:
        yield power
        power *= x


@program("v", by="tape")
def terms_without_end_beside_numbers(x):
    return sum(t * v for t, v in zip(powers_without_end(x[1]), x))
