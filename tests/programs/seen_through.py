"""Functions and literals that the compiler sees through, in small programs."""

from __future__ import annotations

from functools import partial

import numpy as np

from tests.programs.corpus import program


@program("v")
def complex_literals(x):
    z = x * (1.5 - 2j) + 0.5j
    return np.sum(np.real(z) * np.imag(z))


@program("v")
def texts_and_bytes_beside(x):
    words = ["it's", 'a "word"', "both ' and \""]
    data = b"it's"
    return np.sum(x * x) * len(words[1]) * len(data) + np.sum(x) * len(b'"')


@program("v")
def vectorized_ufunc(x):
    return np.sum(np.vectorize(np.sin)(x) * x)


@program("v")
def vectorized_formula_with_a_number(x):
    return np.sum(np.vectorize(lambda v: v * 2.0 + np.sin(v) - np.pi)(x) * x)


@program("v")
def functions_made_by_a_map(x):
    fs = list(map(lambda k: partial(np.multiply, k), (1.0, 2.0)))
    return np.sum(fs[0](x) * fs[1](x))


class Weighted:
    def __init__(self, k):
        self.k = k

    def loss(self, v):
        return np.sum(v**2) * self.k


@program("v")
def names_of_a_dict_of_functions(x):
    d = {"a": np.sin, "b": np.cos}
    y = x
    for k in list(d):
        y = d[k](y)
    return np.sum(y)


@program("v")
def merged_dicts_of_functions(x):
    d = {"a": np.sin}
    e = {**d, "b": np.cos}
    return np.sum(e["a"](x) * e["b"](x))


@program("v")
def identity_of_functions(x):
    f = np.sin
    y = f(x) if f is np.sin else x
    return np.sum(y) if f is not np.cos else np.sum(x)


def _three(a, b, c):
    return a * b + c


@program("v")
def starred_display(x):
    return _three(*[x[0], x[1]], x[2]) * _three(a=x[0], b=x[1], c=x[2])


BOUND = Weighted(3.0).loss


@program("v")
def bound_method_of_the_module(x):
    return BOUND(x) * x[0]


def _with_object(o, v, n):
    return v if n == 0 else _with_object(o, np.sin(v) * o.k, n - 1)


@program("v")
def object_handed_to_a_recursion(x):
    o = Weighted(1.5)
    return np.sum(_with_object(o, x, 2))


@program("v")
def functions_chosen_twice(x):
    f = np.sin if x[0] > 0 else np.cos
    g = f
    if x[1] > 0:
        g = np.tanh
    return np.sum(f(x) * g(x))


@program("v")
def unpacked_function_pairs(x):
    t = 0.0
    for name, (f, k) in {"s": (np.sin, 1.0), "c": (np.cos, 2.0)}.items():
        t += np.sum(f(x)) * k * len(name)
    return t


@program("v")
def first_of_a_row_of_functions(x):
    fs = [np.sin, np.cos, np.tanh]
    first, *rest = fs
    return np.sum(first(x)) + sum(np.sum(f(x)) for f in rest)


@program("v")
def fresh_pair_written(x):
    y, z = np.zeros(4), np.ones(4)
    for i in range(4):
        y[i] = x[i] ** 2
        z[i] = y[i] * x[i]
    return np.sum(y * z)


@program("v")
def fresh_in_nested_loops(x):
    total = 0.0
    for k in range(2):
        y = np.zeros(4)
        for i in range(4):
            y[i] = x[i] * (k + 1)
        total = total + np.sum(y**2)
    return total


@program("v")
def results_watched(x):
    y = np.zeros(4)
    rows: list = [y]
    for i in range(4):
        y[i] = x[i] ** 2
    return np.sum(rows[0] * x)
