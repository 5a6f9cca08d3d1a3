"""Tests compiled functions that write into arguments: what they wrote stays, or is put back."""

from __future__ import annotations

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.targets.loops.border import differs
from srcgrad.targets.loops.copies import copied
from srcgrad.targets.loops.keeping import PutBackError, can_be_kept, keeping

pytest.importorskip("numba", reason="needs Numba")
pytestmark = pytest.mark.filterwarnings("ignore:Cannot cache compiled function")  # at NUMBA_OPT=0


def scaled_and_added(u, v, k):
    u *= 2.0
    u += v * k
    return np.sum(u * u * v)


def product_into(c, a, b):
    c[:] = 0.5 * c + a @ b
    for i in range(c.shape[0]):
        c[i, 0] += a[i, 0] * b[0, i]
    return np.sum(c * c)


def by_places(x, places, n):
    total = 0.0
    for i in range(n):
        x[i] *= 1.5
        total += x[places[i]] * x[i]
    return total


RNG = np.random.default_rng(5)
U, V = RNG.normal(size=4), RNG.normal(size=4)
M = RNG.normal(size=(3, 4, 4))


@pytest.mark.parametrize(
    ("f", "calls"),
    [
        (scaled_and_added, [(U, V, 2.0), (U, V[:1], 2.0), (U, V, 1.5)]),
        (scaled_and_added, [(U, V[:1], 2.0), (U, V, 2.0), (U[:1], V[:1], 0.5)]),
        (product_into, [tuple(M), (M[0], M[1, :, :3], M[2, :3, :])]),
    ],
)
def test_arguments_hold_what_numpy_leaves_in_them(f, calls):
    compiled = sg.value_and_grad(f, backend="numba", fallback="error")
    for args in calls:
        for _ in range(2):
            own, others = copied(args), copied(args)
            expected = sg.value_and_grad(f)(*others)
            assert not differs(compiled(*own), expected), args
            assert not differs(own, others), args


def test_whole_arrays_that_are_written_are_nests():
    compiled = sg.grad(scaled_and_added, backend="numba", fallback="error")
    compiled(U.copy(), V, 2.0)
    assert "for _i in range(" in compiled.source


def test_an_index_out_of_bounds_raises_and_leaves_what_numpy_leaves():
    compiled = sg.grad(by_places, backend="numba", fallback="error")
    places = np.array([1, 0, 2, 3])
    compiled(U.copy(), places, 4)
    own, other = U.copy(), U.copy()
    with pytest.raises(IndexError) as found:
        compiled(own, places + 3, 4)
    assert "out of bounds" in str(found.value)
    with pytest.raises(IndexError):
        sg.grad(by_places)(other, places + 3, 4)
    np.testing.assert_array_equal(own, other)


def test_what_is_not_written_is_not_copied():
    seen = []

    def writes(a, b):
        seen.append((a, b))
        a[0] = 7.0
        raise ValueError("in between")

    a, b = np.zeros(2), np.ones(2)
    with pytest.raises(PutBackError) as found:
        keeping(writes, (0,))(a, b)
    assert isinstance(found.value.__cause__, ValueError)
    assert seen[0][0] is a
    np.testing.assert_array_equal(a, 0.0)
    assert keeping(writes, ()) is writes


def test_lists_are_not_kept():
    assert can_be_kept((np.ones(2), 3.0, None, [1.0]), (0, 1, 2))
    assert not can_be_kept((np.ones(2), [1.0]), (0, 1))
