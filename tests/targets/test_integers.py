"""Tests integers that grow beyond 64 bits, and calls deeper than the stack, compiled."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.targets.loops.border import differs

pytest.importorskip("numba", reason="needs Numba")
pytestmark = pytest.mark.filterwarnings("ignore:Cannot cache compiled function")  # at NUMBA_OPT=0


def fibonacci(x, n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return x * b


def in_a_list(x, n):
    t = [1, 1]
    for _ in range(n):
        t.append(t[-1] + t[-2])
    return x * t[-1]


def factorials(x, n):
    t = [1] * (n + 1)
    for i in range(1, n + 1):
        t[i] = t[i - 1] * (i + 5)
    return x / t[-1]


def shifted(x, n):
    k = 1
    for _ in range(n):
        k = k << 1
    return x * k


def two_steps(x, n):
    p, q = 1, 1
    for _ in range(n):
        r = 2 * q
        q = p
        p = r + p
    return x * (p / q)


def rows_of_pascal(x, n):
    row = [1]
    for i in range(n):
        row = [1] + [row[j] + row[j + 1] for j in range(i)] + [1]
    return x * row[n // 2]


def doubled(x, n):
    s = 1
    for _ in range(1, n):
        s += s
    return x * s


def squared(x, n):
    s = 3
    for _ in range(n % 9):
        s = s**2
    return x * s


def differences(x, n):
    s, t = 1, -1
    for _ in range(n):
        s, t = s - t, t - s
    return x * s


def factorial(n):
    return 1 if n < 2 else n * factorial(n - 1)


def by_calls(x, n):
    return (x * factorial(n)) * 1.0


GROWING = (
    *(fibonacci, in_a_list, factorials, shifted, two_steps, rows_of_pascal, doubled, squared),
    *(differences, by_calls),
)


@pytest.mark.parametrize("program", GROWING, ids=lambda item: item.__name__)
def test_integers_grow_as_in_python(program):
    """The first call, whose integers are small, does not tell."""
    expected, found = sg.value_and_grad(program), sg.value_and_grad(program, backend="numba")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sg.CompileWarning)
        for n in (5, 10, 100):
            assert not differs(found(0.5, n), expected(0.5, n)), n


def counted(x, n):
    k, total = 0, 0
    for i in range(n):
        k += 2
        total += k * i
    return x * total


def test_what_counts_is_not_looked_at():
    g = sg.value_and_grad(counted, backend="numba")
    g(0.5, 4)
    assert "int_" not in g.source


def whole_parts(x, n):
    return x * (int(2.5 * n) + math.floor(0.5 * n) - round(1.5 * n) + math.ceil(0.1 * n))


def test_whole_parts_of_large_numbers_are_those_of_python():
    g, expected = sg.value_and_grad(whole_parts, backend="numba"), sg.value_and_grad(whole_parts)
    for n in (3.0, 1e20, -7.5):
        assert not differs(g(0.5, n), expected(0.5, n)), n
    with pytest.raises(ValueError, match="NaN"):
        g(0.5, math.nan)


def nested(x, n):
    if n == 0:
        return x
    return np.sin(nested(x, n - 1)) + x


@pytest.mark.parametrize("way", [sg.value_and_grad, sg.grad])
def test_calls_that_are_too_deep_raise_as_in_python(way):
    g = way(nested, backend="numba")
    assert not differs(g(0.5, 50), way(nested)(0.5, 50))
    with pytest.raises(RecursionError):
        g(0.5, 1_000_000)
    assert not differs(g(0.5, 60), way(nested)(0.5, 60))


def test_so_do_those_of_tangents():
    assert np.isfinite(sg.jvp(nested, (0.5, 50), (1.0, None), backend="numba")[1])
    with pytest.raises(RecursionError):
        sg.jvp(nested, (0.5, 1_000_000), (1.0, None), backend="numba")
