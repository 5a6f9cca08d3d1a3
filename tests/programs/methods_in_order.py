"""Calls of methods that change their object, after other parts of the same statement."""

from __future__ import annotations

import numpy as np

from tests.programs.corpus import program


class _Counting:
    def __init__(self):
        self.n = 0
        self.s = 1.0
        self.log = []
        self.h = np.ones(4)

    def scaled(self, v):
        self.n += 1
        return v * self.n

    def grow(self, v):
        self.s = self.s * 2.0
        return v * self.s

    def bump(self, v):
        self.h = self.h * v
        return np.sum(self.h)

    def put(self, v):
        self.log.append(v)
        return v * len(self.log)

    def two(self, x):
        return self.scaled(x) * self.scaled(x * x)

    def three(self, x):
        return self.s * self.grow(x) + self.grow(x) * self.s + self.n

    def cond(self, x):
        return self.grow(x) * 2.0 if np.sum(x) > 0 else self.grow(x) + self.s

    def short(self, x):
        return np.sum(self.grow(x)) > 0 and self.s > self.scaled(1.0)


COUNTING = _Counting()


@program("v")
def one_method_twice_in_a_product(x):
    c = _Counting()
    return np.sum(c.two(x))


@program("v")
def fields_read_around_calls_that_change_them(x):
    c = _Counting()
    return np.sum(c.three(x))


@program("v")
def counts_between_calls(x):
    c = _Counting()
    y = c.n * x + c.scaled(x) * c.n + c.scaled(x) * c.n
    return np.sum(y * c.scaled(x))


@program("v")
def array_of_an_object_read_around_calls(x):
    c = _Counting()
    return c.bump(x) * np.sum(c.h) + np.sum(c.h) * c.bump(x * 2)


@program("v")
def length_of_a_log_beside_calls(x):
    c = _Counting()
    return np.sum(c.put(x) * c.put(x * x) + len(c.log) * c.put(x))


@program("v")
def calls_in_a_list(x):
    c = _Counting()
    xs = [c.scaled(x), c.scaled(x), c.s * c.grow(x)]
    return np.sum(xs[0] * xs[1] * xs[2])


@program("v")
def calls_in_a_loop(x):
    c = _Counting()
    y = x * 1.0
    for k in range(2):
        y = y * c.scaled(x) - c.n * c.grow(y)
    return np.sum(y) * c.s


@program("v")
def calls_in_the_ways_of_a_choice(x):
    c = _Counting()
    return np.sum(c.cond(x) * c.cond(-x) * c.s)


@program("v")
def calls_in_a_test_that_may_stop(x):
    c = _Counting()
    return np.sum(x) * 2.0 if c.short(x) else np.sum(c.grow(x))


@program("v")
def object_of_the_module(x):
    COUNTING.n = 0
    return np.sum(COUNTING.scaled(x) * COUNTING.scaled(x * x) * COUNTING.n)


@program("v")
def called_by_a_function_inside(x):
    c = _Counting()

    def f(v):
        return c.grow(v) + c.s * v

    return np.sum(f(x) * f(x * 2) * c.s)


@program("v")
def calls_in_an_argument_of_a_library(x):
    c = _Counting()
    return np.sum(np.stack([c.scaled(x), x * c.n, c.scaled(x)]) * c.n)


@program("v")
def old_array_of_a_field_kept(x):
    c = _Counting()
    h = c.h
    return np.sum(h * c.bump(x) + c.h * c.bump(x))


@program("v")
def two_objects_and_two_names(x):
    c, d = _Counting(), _Counting()
    e = c
    return np.sum(d.scaled(x) * c.scaled(x) * e.n * d.n + e.scaled(x) * d.n)


@program("v")
def variable_changed_in_one_way_of_a_choice(x):
    total = x[0]

    def added(v):
        nonlocal total
        total = total + v * v
        return total

    return total * (added(x[1]) if total > 0.0 else 1.0)
