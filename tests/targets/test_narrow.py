"""Tests that compiled derivatives keep the types of numbers that NumPy gives: 32 bits, complex."""

from __future__ import annotations

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.targets.loops.border import differs
from srcgrad.targets.loops.copies import copied
from tests.targets.counts import narrowed
from tests.targets.test_loops import cholesky, first_above, layer, lorenz, of_a_helper
from tests.targets.test_nests import CASES

pytest.importorskip("numba", reason="needs Numba")
pytestmark = pytest.mark.filterwarnings("ignore:Cannot cache compiled function")  # at NUMBA_OPT=0

RNG = np.random.default_rng(2)
V = RNG.normal(size=5).astype(np.float32)
M = RNG.normal(size=(6, 6))


def alike(found, expected):
    """Compare values and types, also of numbers."""
    if isinstance(expected, (tuple, list)):
        return all(map(alike, found, expected))
    if isinstance(expected, dict):
        return all(alike(found[key], item) for key, item in expected.items())
    return type(found) is type(expected) and not differs(found, expected, narrow=True)


def compiled(f, *args, derive=sg.value_and_grad):
    derivative = derive(f, backend="numba", fallback="error")
    for _ in range(2):
        found = derivative(*copied(args))
    expected = derive(f, fallback="error")(*copied(args))
    assert alike(found, expected), (found, expected)
    return derivative


LOOPS = {
    lorenz: (np.ones(3), 10.0, 30),
    cholesky: (M @ M.T + 6 * np.eye(6),),
    first_above: (V, 0.9),
    of_a_helper: (V,),
    layer: ({"w": M[:3, :2], "b": M[0, :2]}, M[:4, :3]),
}


@pytest.mark.parametrize("f", [*LOOPS, *CASES], ids=lambda f: f.__name__)
def test_numbers_of_32_bits_stay_so(f):
    args = narrowed({**LOOPS, **CASES}[f])
    derivative = compiled(f, *args)
    assert "np.empty(len(" not in derivative.source.replace(", np.float32)", "")


def mixed(x, y, k):
    total = 0.1
    for i in range(len(x)):
        total += x[i] * k + y[i] / 3
    return total * np.sum(x * y)


INTEGERS = np.array([3, 1, 2, 5, 4])


@pytest.mark.parametrize("y", [V, V.astype(np.float64), INTEGERS], ids=lambda y: str(y.dtype))
@pytest.mark.parametrize(
    "k", [2.0, 2, np.float64(2.0), np.float32(2.0), np.int64(2)], ids=lambda k: type(k).__name__
)
def test_numbers_of_python_adapt_and_those_of_numpy_widen(y, k):
    compiled(mixed, V, y, k)


def at_a_limit(x):
    return np.sum(np.where(x == 0.1, x * x, 3.0 * x)) + float(x[0]) * 1e20 * 1e20 * 1e-10


def test_comparisons_and_large_numbers_are_those_of_the_type():
    compiled(at_a_limit, np.array([0.1, 0.2, 0.3], np.float32))


def long_sum(x):
    return np.sum(x) / np.mean(x) + x.sum()


def test_long_sums_are_as_near_as_those_of_numpy():
    x = (1.0 + RNG.random(200_000)).astype(np.float32)
    value, _ = compiled(long_sum, x)(x)
    assert value == pytest.approx(long_sum(x.astype(np.float64)), rel=1e-6)


def test_tangents_and_pullbacks_keep_them():
    f, (x,) = of_a_helper, narrowed((RNG.normal(size=4),))
    found = sg.jvp(f, (x,), (x,), backend="numba", fallback="error")
    assert alike(found, sg.jvp(f, (x,), (x,)))
    value, pull = sg.vjp(f, x, backend="numba", fallback="error")
    expected, by_numpy = sg.vjp(f, x)
    assert alike((value, pull(value)), (expected, by_numpy(expected)))


def power_of_a_signal(z, n):
    total = 0.0
    for k in range(n):
        w = z[k] * np.exp(0.5j * k)
        total += w.real * w.real + abs(z[k]) * w.imag
    return total


def of_an_impedance(r, n):
    z = 1.0 + 0.0j
    for k in range(n):
        z = 1.0 / (1.0 / z + 1.0j * k * r) + r
    return z.real * z.imag


def test_complex_numbers_are_compiled():
    z = RNG.normal(size=4) + 1j * RNG.normal(size=4)
    compiled(power_of_a_signal, z, 4)
    compiled(power_of_a_signal, z.astype(np.complex64), 4)
    compiled(of_an_impedance, 0.5, 6)
