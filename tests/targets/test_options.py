"""Tests the options of the backend that compiles: several cores, and indices not looked at."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.api import known_texts
from srcgrad.checker.check import Checker
from srcgrad.checker.verdict import Verdict
from srcgrad.targets.loops.border import differs
from tests.targets.test_loops import cholesky, lorenz
from tests.targets.test_nests import CASES, M, V, chain, shifted_in_place, stencil

pytest.importorskip("numba", reason="needs Numba")
pytestmark = pytest.mark.filterwarnings("ignore:Cannot cache compiled function")  # at NUMBA_OPT=0

PARALLEL = sg.numba(parallel=True)


def compiled(f, *args, backend):
    derivative = sg.value_and_grad(f, backend=backend, fallback="error")
    for _ in range(2):
        assert not differs(derivative(*args), sg.value_and_grad(f, fallback="error")(*args))
    return derivative


def neighbours(x):
    u = x.copy()
    u[1:] += x[:-1] * 0.5
    u[:-1] += x[1:] * 0.25
    return np.sum(u * u)


ARGS = {**CASES, neighbours: (V,)}


@pytest.mark.parametrize("f", [stencil, shifted_in_place, neighbours], ids=lambda f: f.__name__)
def test_nests_are_shared_among_cores(f):
    derivative = compiled(f, *ARGS[f], backend=PARALLEL)
    assert "parallel=loops_alone" in derivative.source
    assert "prange(" in derivative.source
    assert "prange" not in compiled(f, *ARGS[f], backend="numba").source


def test_trips_that_touch_entries_of_others_are_not_shared():
    x = np.linspace(0.0, 1.0, 20_000)
    derivative = compiled(neighbours, x, backend=PARALLEL)
    grad = derivative(x)[1]
    for _ in range(5):
        np.testing.assert_array_equal(derivative(x)[1], grad)


def test_indices_are_not_looked_at_if_that_is_asked():
    derivative = compiled(lorenz, np.ones(3), 10.0, 20, backend=sg.numba(boundscheck=False))
    assert "boundscheck=False" in derivative.source
    both = sg.numba(parallel=True, boundscheck=False)
    compiled(cholesky, M[:5] @ M[:5].T + 6 * np.eye(5), backend=both)


def test_every_derivative_takes_them():
    x = V[:3]
    assert not differs(
        sg.jvp(chain, (x, x), (x, x), backend=PARALLEL), sg.jvp(chain, (x, x), (x, x))
    )
    value, pull = sg.vjp(chain, x, x, backend=PARALLEL, fallback="error")
    assert not differs(pull(value), sg.vjp(chain, x, x)[1](value))
    again = pickle.loads(pickle.dumps(sg.grad(stencil, backend=PARALLEL, fallback="error")))
    assert not differs(again(M, 2), sg.grad(stencil)(M, 2))
    assert "prange(" in again.source


def test_what_is_no_option_is_refused():
    for wrong in ({"parallel": 1}, {"boundscheck": "no"}):
        with pytest.raises(sg.ArgumentError, match="neither True nor False"):
            sg.numba(**wrong)
    with pytest.raises(sg.ArgumentError, match="is not one of"):
        sg.grad(chain, backend=["numba"])


def two_ways(x):
    if x[0] > 0:
        return np.sum(x * x)
    total = 0.0
    for i in range(len(x)):
        total += x[i] ** 3
    return total


@pytest.fixture
def _doubted(monkeypatch):
    known_texts.forget()
    monkeypatch.setattr(Checker, "verdict", lambda *_: Verdict("wrong", "of a test"))


@pytest.mark.usefixtures("_doubted")
def test_a_text_that_is_compared_branch_by_branch_is_named():
    g = sg.value_and_grad(two_ways, backend="numba")
    with pytest.warns(sg.CompileWarning, match="another engine"):
        g(np.array([1.0, 2.0]))
    for x in (np.array([-1.0, 3.0]), np.array([1.0, 3.0])):
        assert not differs(g(x), sg.value_and_grad(two_ways)(x))


@pytest.mark.usefixtures("_doubted")
def test_with_errors_asked_for_it_is_one():
    g = sg.value_and_grad(two_ways, backend="numba", fallback="error")
    with pytest.raises(sg.NotCompiledError, match="another engine"):
        g(np.array([1.0, 2.0]))
