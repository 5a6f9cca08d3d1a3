"""Tests which backward loops count upwards, and that all of them are right."""

from __future__ import annotations

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.targets.loops.border import differs

pytest.importorskip("numba", reason="needs Numba")
pytestmark = pytest.mark.filterwarnings("ignore:Cannot cache compiled function")  # at NUMBA_OPT=0

RNG = np.random.default_rng(5)
M, V = RNG.normal(size=(6, 6)), RNG.normal(size=6)


def product(a, x):
    total = 0.0
    for i in range(len(x)):
        rest = 0.0
        for j in range(len(x)):
            rest += a[i, j] * x[j]
        total += rest * rest
    return total


def recurrence(x):
    y = x * 1.0
    for i in range(1, len(x)):
        y[i] = y[i] + 0.5 * y[i - 1] * x[i]
    return np.sum(y * y)


def powers(x, n):
    y, total = x[0], 0.0
    for _ in range(n):
        y = y * x[1]
        total += y
    return total


def last_of_all(x):
    for i in range(len(x)):
        last = x[i] * x[i]
    return last * x[i]


def two_names(x):
    u = x * 1.0
    v = u
    for i in range(1, len(x)):
        u[i] += v[i - 1] * x[i]
    return np.sum(u * v)


def cascade(x):
    u = x * 1.0
    for i in range(1, len(x)):
        u[i] += 0.5 * u[i - 1]
    return np.sum(u * u)


def cascade_of_two_names(x):
    u = x * 1.0
    v = u
    for i in range(1, len(x)):
        u[i] += 0.5 * v[i - 1]
    return np.sum(u * v)


def weighted(x, w):
    total = 0.0
    for k in range(len(x)):
        total += w[k] * x[k] * x[k]
    return total


CASES = {
    product: (M, V),
    recurrence: (V,),
    powers: (V, 4),
    last_of_all: (V,),
    two_names: (V,),
    cascade: (V,),
    cascade_of_two_names: (V,),
    weighted: (V, V**2),
}


@pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)
def test_backward_loops_give_what_numpy_gives(f):
    derivative = sg.value_and_grad(f, backend="numba", fallback="error")
    for _ in range(2):
        assert not differs(derivative(*CASES[f]), sg.value_and_grad(f)(*CASES[f]))
    backward = derivative.source.partition("# backward")[2]
    assert (", -1):" not in backward) == (f is weighted)


def test_the_innermost_loop_of_a_product_counts_upwards():
    derivative = sg.grad(product, (0, 1), backend="numba", fallback="error")
    derivative(M, V)
    backward = derivative.source.partition("# backward")[2]
    assert "for j in range(len(x)):" in backward
    assert "for i in range(len(x) - 1, -1, -1):" in backward
