"""Tests functions that call themselves, compiled: what they keep lies in one list."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.targets.loops.border import differs
from tests.programs.recursion import chebyshev

pytest.importorskip("numba", reason="needs Numba")
pytestmark = pytest.mark.filterwarnings("ignore:Cannot cache compiled function")  # at NUMBA_OPT=0

NORMAL = np.random.default_rng(7).normal


def series(c, x):
    total = 0.0
    for i in range(len(c)):
        total = total + c[i] * chebyshev(x, i)
    return total


def panel(f0, fm, f1, a, b, p, most):
    m = 0.5 * (a + b)
    fl, fr = np.exp(-p * (0.5 * (a + m)) ** 2), np.exp(-p * (0.5 * (m + b)) ** 2)
    whole = (b - a) / 6 * (f0 + 4 * fm + f1)
    left = (m - a) / 6 * (f0 + 4 * fl + fm)
    right = (b - m) / 6 * (fm + 4 * fr + f1)
    error = left + right - whole
    if abs(error) < 15 * most:
        return left + right + error / 15
    lower = panel(f0, fl, fm, a, m, p, most / 2)
    return lower + panel(fm, fr, f1, m, b, p, most / 2)


def adaptive_quadrature(p):
    return panel(1.0, np.exp(-p * 2.25), np.exp(-p * 9.0), 0.0, 3.0, p, 1e-7)


def even(x, n):
    return 1.0 if n == 0 else odd(x * 0.9, n - 1) * x


def odd(x, n):
    return x if n == 0 else even(x + 0.1, n - 1) * np.cos(x)


def taking_turns(x):
    return even(x, 6)


def heap(node, w):
    left = 2 * node + 1
    if left >= len(w):
        return w[node] * w[node]
    total = np.tanh(w[node]) * heap(left, w)
    if left + 1 < len(w):
        total += heap(left + 1, w) * 0.5
    return total


def whole_heap(w):
    return heap(0, w)


def rows(m, i):
    if i == m.shape[0]:
        return np.zeros(m.shape[1])
    return np.sin(m[i]) + rows(m, i + 1) * m[i]


def all_rows(m):
    return np.sum(rows(m, 0))


def transform(x):
    n = len(x)
    if n == 1:
        return x
    even_ones, odd_ones = transform(x[::2]), transform(x[1::2])
    turned = np.exp(-2j * np.pi * np.arange(n // 2) / n) * odd_ones
    return np.concatenate((even_ones + turned, even_ones - turned))


def spectrum(x):
    y = transform(x + 0j)
    return np.sum(np.abs(y) ** 2 * np.arange(len(x)))


def pairs(x):
    n = len(x)
    if n == 1:
        return x[0] * x[0]
    return pairs(x[: n // 2]) * 0.5 + pairs(x[n // 2 :])


CASES = {
    "series": (series, (NORMAL(size=6), 0.4), (NORMAL(size=8), -0.3)),
    "adaptive_quadrature": (adaptive_quadrature, (0.8,), (1.7,)),
    "taking_turns": (taking_turns, (1.2,), (0.7,)),
    "whole_heap": (whole_heap, (NORMAL(size=13),), (NORMAL(size=6),)),
    "all_rows": (all_rows, (NORMAL(size=(5, 3)),), (NORMAL(size=(1, 4)),)),
    "spectrum": (spectrum, (NORMAL(size=8),), (NORMAL(size=4),)),
    "pairs": (pairs, (NORMAL(size=8),), (NORMAL(size=5),)),
}


@pytest.mark.parametrize("way", ["value_and_grad", "vjp"])
@pytest.mark.parametrize("name", CASES)
def test_functions_that_call_themselves_are_compiled(name, way):
    function, *calls = CASES[name]
    with warnings.catch_warnings():
        warnings.simplefilter("error", sg.CompileWarning)
        for args in calls:
            expected, found = (
                _derived(function, args, way, **how) for how in ({}, {"backend": "numba"})
            )
            assert not differs(found, expected), (found, expected)


def _derived(function, args, way, **how):
    if way == "vjp":
        value, back = sg.vjp(function, *args, **how)
        return value, back(1.0)
    return sg.value_and_grad(function, tuple(range(len(args))), **how)(*args)


def test_what_calls_keep_lies_in_one_list():
    g = sg.value_and_grad(series, (0, 1), backend="numba")
    g(NORMAL(size=3), 0.5)
    assert "chebyshev_kept.append((" in g.source
    assert "return out, len(chebyshev_kept) - 1" in g.source
    assert "= chebyshev_kept[saved]" in g.source


def test_a_value_alone_keeps_nothing():
    m = NORMAL(size=(3, 2))
    value, _ = sg.vjp(all_rows, m, backend="numba")
    assert value == pytest.approx(all_rows(m), rel=1e-14)


def chain(x, n):
    node = None
    for i in range(n):
        node = (x * i + 1.0, node)
    total = 0.0
    while node is not None:
        value, node = node
        total = total + value * value
    return total


def test_what_holds_itself_in_tuples_is_refused():
    with pytest.warns(sg.CompileWarning, match="holds what it was before"):
        found = sg.value_and_grad(chain, backend="numba")(1.5, 3)
    assert not differs(found, sg.value_and_grad(chain)(1.5, 3))


def tuples_of_tuples(x, n):
    if n == 0:
        return x, ()
    inner = tuples_of_tuples(x * 0.5, n - 1)
    return x * inner[0], inner


def of_tuples(x):
    return tuples_of_tuples(x, 3)[0]


def test_results_that_hold_results_are_refused():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sg.CompileWarning)
        found = sg.value_and_grad(of_tuples, backend="numba")(1.5)
    assert not differs(found, sg.value_and_grad(of_tuples)(1.5))


def test_a_function_that_calls_itself_is_not_kept_for_other_processes():
    """Numba ends the process with a fault that finds one among what it has kept."""
    for way in (sg.value_and_grad, sg.grad):
        g = way(whole_heap, backend="numba")
        g(NORMAL(size=7))
        assert "cache=False" in g.source
