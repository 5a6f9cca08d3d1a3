"""Tests the room that loops have for what they record: once, before their trips."""

from __future__ import annotations

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.ir import gast
from srcgrad.targets.loops.border import differs
from srcgrad.targets.loops.reserving import trips_of

RNG = np.random.default_rng(11)


def on_two_levels(x, n):
    total = x
    for i in range(n):
        total = np.sin(total) * (i + 1)
        for j in range(i):
            total = np.cos(total) + 0.1 * j
        total = total * total
    return total


def twice_a_trip(x, n):
    a, b = x, 0.5
    for _ in range(2, n):
        a = np.sin(a * b)
        b = np.cos(a + b)
        a = a * b
    return a * b


def downward(x, n):
    a = x
    for k in range(n - 1, -2, -1):
        a = np.tanh(a * (k + 2))
    return a * a


def with_a_step(x, n):
    a = x
    for k in range(0, n, 3):
        a = np.sin(a) * (k + 1)
    return a * a


def goes_on_early(x, n):
    a = x
    for k in range(n):
        a = np.sin(a)
        if k % 3 == 0:
            continue
        a = a * a + 0.3
    return a


def is_left(x, n):
    a = x
    for k in range(n):
        a = np.sin(a) + 0.1 * k
        if a > 1.0:
            break
        a = a * 1.5
    return a


def bounds_that_change(x, n):
    a, last = x, n
    for k in range(last):
        last = 2
        a = np.sin(a) * (last + k)
    return a * a


def as_long_as_an_array(x, y):
    a = x
    for k in range(1, len(y)):
        a = np.sin(a * y[k]) + y[k - 1]
    return a * np.sum(y * y)


def as_long_as_a_tuple(x, weights):
    a = x
    for k in range(1, len(weights)):
        a = np.sin(a * weights[k]) * weights[k - 1]
    return a * a


CASES = {
    on_two_levels: [(0.3, 9), (0.2, 40), (0.1, 0)],
    twice_a_trip: [(0.3, 3000), (0.4, 5), (0.1, 2), (0.1, -7)],
    downward: [(0.3, 9), (0.2, 1500), (0.1, -5)],
    with_a_step: [(0.3, 10), (0.2, 1), (0.1, 0)],
    goes_on_early: [(0.3, 10), (0.2, 2000), (0.1, 0)],
    is_left: [(0.3, 4000), (0.2, 1)],
    bounds_that_change: [(0.3, 9), (0.1, 0)],
    as_long_as_a_tuple: [(0.3, (0.5, 0.2, 0.7)), (0.3, [0.1] * 6), (0.2, (1.5,))],
    as_long_as_an_array: [(0.3, RNG.normal(size=5)), (0.1, np.ones(1)), (0.1, np.ones(0))],
}


@pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)
def test_loops_keep_what_the_text_for_numpy_keeps(f):
    pytest.importorskip("numba", reason="needs Numba")
    compiled = sg.value_and_grad(f, backend="numba", fallback="error")
    for args in CASES[f]:
        for _ in range(2):
            assert not differs(compiled(*args), sg.value_and_grad(f)(*args)), args


def test_there_is_no_look_within_a_loop_whose_trips_are_known():
    pytest.importorskip("numba", reason="needs Numba")
    texts = {}
    for f in (downward, as_long_as_an_array, as_long_as_a_tuple, is_left):
        derivative = sg.grad(f, backend="numba", fallback="error")
        derivative(*CASES[f][0])
        texts[f] = derivative.source
    for f in (downward, as_long_as_an_array):
        assert "with_room(" in texts[f]
        assert "_end == len(" not in texts[f]
    for f in (as_long_as_a_tuple, is_left):
        assert "_end == len(" in texts[f]
        assert ".append(" not in texts[f]


@pytest.mark.parametrize("ends", ["n", "k, n", "1, n + 2", "n - 1, -1, -1", "n, k, -1", "2 * n, 9"])
def test_trips_are_those_of_the_range(ends):
    loop = gast.parse(f"for i in range({ends}): f(i)").body[0]
    trips = trips_of(loop, {}.get)
    for n in range(-3, 7):
        for k in range(-2, 9):
            values = {"n": n, "k": k}
            count = trips.constant + sum(f * values[name] for name, f in trips.terms.items())
            assert max(count, 0) == len(eval(f"range({ends})", {}, values))


@pytest.mark.parametrize(
    "text",
    [
        "for i in range(0, n, 2): f(i)",
        "for i in range(n):\n    if f(i): break",
        "for i in range(n):\n    while f(i): g(i)",
        "for i in range(n * n): f(i)",
        "for i in n: f(i)",
        "for i in range(len(pairs)): f(i)",
    ],
)
def test_trips_are_not_known(text):
    assert trips_of(gast.parse(text).body[0], lambda _: None) is None
