"""Local functions that call themselves, and bind variables of the function around them."""

from __future__ import annotations

import numpy as np

from tests.programs.corpus import program


@program("v")
def sums_on_the_way_down(x):
    total = 0.0
    calls = 0

    def go(i):
        nonlocal total, calls
        calls += 1
        total = 0.5 * total + x[i] ** 2
        if i:
            go(i - 1)

    go(len(x) - 1)
    go(1)
    return total * calls


@program("v")
def best_of_all_ways(x):
    best = -1e3

    def go(i, sum_so_far):
        nonlocal best
        if i == len(x):
            best = max(best, sum_so_far)
            return
        go(i + 1, sum_so_far + np.sin(x[i]))
        go(i + 1, sum_so_far * x[i] - 0.3)

    go(0, 0.5)
    return best**2


@program("v")
def functions_that_call_each_other(x):
    total = 1.0

    def up(i):
        nonlocal total
        total += x[i]
        return down(i - 1) if i else 1.0

    def down(i):
        nonlocal total
        total -= 0.5 * x[i]
        return up(i - 1) * x[0] if i else 2.0

    return up(2) * total + down(1)


@program("v")
def array_that_is_bound_anew(x):
    total = np.zeros(len(x))

    def go(i):
        nonlocal total
        total = total + x * i
        return go(i - 1) if i else np.sum(total**2)

    return go(3)


def _marked(x, how):
    def doubled(y):
        nonlocal how
        how = "b"
        return y * 2.0

    z = doubled(x)
    return z * z if how == "b" else z


@program("v")
def option_bound_by_an_inner_function(x):
    return np.sum(_marked(x, "a"))


def _scaled_by_the_first(x, scale=None):
    def scaled(y):
        nonlocal scale
        if scale is None:
            scale = y[0]
        return y * scale

    return scaled(x) + scaled(x * 2.0)


@program("v")
def missing_option_bound_in_a_branch_of_an_inner_function(x):
    return np.sum(_scaled_by_the_first(x) ** 2)


@program("v")
def function_bound_by_an_inner_function(x):
    f = np.sin

    def change():
        nonlocal f
        f = np.cos

    change()
    return np.sum(f(x) * x)
