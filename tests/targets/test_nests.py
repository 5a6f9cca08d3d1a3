"""Tests that statements over arrays become nested loops, and are right where they do not."""

from __future__ import annotations

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.targets.loops.border import differs
from srcgrad.targets.loops.copies import copied

pytest.importorskip("numba", reason="needs Numba")
pytestmark = pytest.mark.filterwarnings("ignore:Cannot cache compiled function")  # at NUMBA_OPT=0

RNG = np.random.default_rng(1)
V, W = RNG.normal(size=6), RNG.normal(size=6)
M = RNG.normal(size=(6, 5))


def chain(x, y):
    a = np.sin(x) * y
    b = a * a + np.exp(-x)
    c = np.where(b > 0.5, b, a)
    return np.sum(c * b)


def shifted_in_place(x):
    u = x.copy()
    u[1:] = u[:-1] * 0.5 + u[1:]  # reads what it writes, all of it as it was before
    u[:-1] += u[1:] * u[:-1]
    return np.sum(u * u)


def two_names_of_one(x):
    u = x * 2.0
    v = u
    u[1:] = v[:-1] * x[1:]
    return np.sum(u * v)


def view_of_one(x):
    u = x * 2.0
    part = u[2:]
    u[:-2] += part * x[:-2]
    part[1:] *= u[:-3]
    return np.sum(u * u)


def swapped_states(x, steps):
    old, new = x * 1.0, x * 0.0
    for _ in range(steps):
        new[1:-1] = old[:-2] * old[2:] - 0.5 * old[1:-1]
        old, new = new, old
    return np.sum(old * old + new)


def stencil(x, steps):
    u = x.copy()
    for _ in range(steps):
        v = u.copy()
        v[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
        u = v
    return np.sum(u * u)


def seidel(x):
    u = x.copy()
    for _ in range(2):
        for i in range(1, u.shape[0] - 1):
            for j in range(1, u.shape[1] - 1):
                u[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
    return np.sum(u * u)


def rows(x):
    total = 0.0
    for i in range(x.shape[0]):
        for j in range(i):
            d = x[i] - x[j]
            total += 1.0 / np.sqrt(np.sum(d * d) + 0.1)
    return total


def softmax(x):
    z = np.exp(x - np.max(x, axis=1, keepdims=True))
    p = z / np.sum(z, axis=1, keepdims=True)
    return np.sum(p * p * x)


def sums_that_follow(x):
    y = x * x
    norm = np.sqrt(np.sum(y))
    z = y / norm
    return np.sum(z * x) + np.sum(z)


def rebound(x):
    x = x + 0.1 * np.sin(x)
    y = x * 2.0
    x = x - y * x
    return np.sum(x * y)


def of_a_column(x, y):
    return np.sum(np.tanh(x[:, None] * y[None, :]) + x[:, None])


def written_in_turns(x):
    """On the way back an array is read at the places where rows around them have been added to."""
    a, b = x * 1.0, np.sin(x)
    for _ in range(3):
        b[1:-1, 1:-1] = 0.1 * (a[2:, 1:-1] - 2.0 * a[1:-1, 1:-1] + a[:-2, 1:-1]) + a[1:-1, 1:-1]
        a[1:-1, 1:-1] = 0.1 * (b[2:, 1:-1] - 2.0 * b[1:-1, 1:-1] + b[:-2, 1:-1]) + b[1:-1, 1:-1]
    return np.sum(a * a) + np.sum(b)


def written_in_turns_in_place(a, b):
    for _ in range(3):
        b[1:-1, 1:-1] = 0.1 * (a[2:, 1:-1] - 2.0 * a[1:-1, 1:-1] + a[:-2, 1:-1]) + a[1:-1, 1:-1]
        a[1:-1, 1:-1] = 0.1 * (b[2:, 1:-1] - 2.0 * b[1:-1, 1:-1] + b[:-2, 1:-1]) + b[1:-1, 1:-1]
    return np.sum(a * a) + np.sum(b)


CASES = {
    chain: (V, W),
    shifted_in_place: (V,),
    two_names_of_one: (V,),
    view_of_one: (V,),
    swapped_states: (V, 3),
    stencil: (M, 2),
    seidel: (M,),
    rows: (M,),
    softmax: (M,),
    sums_that_follow: (V,),
    rebound: (V,),
    of_a_column: (V, W),
    written_in_turns: (M,),
    written_in_turns_in_place: (M, np.cos(M)),
}


def by_numpy(f, *args):
    return sg.value_and_grad(f, fallback="error")(*args)


@pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)
def test_nests_give_what_numpy_gives(f):
    derivative = sg.value_and_grad(f, backend="numba", fallback="error")
    for _ in range(2):
        assert not differs(derivative(*copied(CASES[f])), by_numpy(f, *copied(CASES[f])))


def test_a_chain_is_one_nest_without_arrays_between():
    derivative = sg.grad(chain, backend="numba", fallback="error")
    derivative(V, W)
    assert derivative.source.count(" in range(") == 1
    assert derivative.source.count("np.empty") == 1


def scaled(x, y):
    return np.sum(np.sin(x) * y)


def test_shapes_that_differ_are_broadcast_as_in_numpy():
    derivative = sg.value_and_grad(scaled, argnums=(0, 1), backend="numba", fallback="error")
    expected = sg.value_and_grad(scaled, argnums=(0, 1))
    for y in (M, M[:1], M[:, :1], M):
        assert not differs(derivative(M, y), expected(M, y))
    with pytest.raises(ValueError, match="broadcast"):
        derivative(M, M[:2])
    assert not differs(derivative(M, M[2:3]), expected(M, M[2:3]))


def layered(w, b, x):
    h = np.tanh(x * w + b) * w
    return h * h


def test_adjoints_in_pullbacks_share_loops_where_nothing_is_summed():
    v = RNG.normal(size=5)
    for b in (v, v[:1], 2.0):
        derivative = sg.pullback(layered, (0, 1), backend="numba", fallback="error")
        value, pull = derivative(v, b, v)
        expected = sg.pullback(layered, (0, 1))(v, b, v)[1](value)
        for _ in range(2):
            assert not differs(pull(value), expected)
        if b is v:
            assert derivative.source.count("for _i") == 2
