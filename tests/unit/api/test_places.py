"""Tests arrays of places among the arguments: a text for those of one kind meets others later."""

from __future__ import annotations

import importlib.util
import itertools
import warnings

import numpy as np
import pytest

import srcgrad as sg

X = np.random.default_rng(0).normal(size=(4, 5))
PLACES, TABLE = np.array([0, 2, 2]), np.array([[0, 1], [2, 1]])
ROWS, COLUMNS = np.array([True, False, True, True]), np.array([True, False, True, True, False])
BACKENDS = ["numpy", "numba"] if importlib.util.find_spec("numba") else ["numpy"]


def part_changed(x, i):
    y = x * 1.0
    z = y[i]
    z *= 2.0
    return np.sum(y * y) + np.sum(z * z)


def columns_put_back(x, m):
    y = x * x
    part = y[:, m]
    y[:, m] = 0.0
    part += 1.0
    return np.sum(y) + np.sum(part * part)


def put_back_in_a_loop(x, i):
    y = x * 1.0
    for _ in range(2):
        part = y[i]
        y = y * y
        part[0] += y[0]
        y[i] = part
    return np.sum(y)


def beside_an_integer(x, i, k):
    y = x * 1.0
    z = y[i, k]
    z += 3.0
    return np.sum(y * y) + np.sum(z * z)


def moved_on(x, i):
    i = i + 1
    y = x * 1.0
    z = y[i]
    z += 3.0
    return np.sum(y * y) + np.sum(z * z)


def bound_anew(x, i):
    y = x * 1.0
    if np.sum(x[0]) > 0:
        i = 0
    z = y[i]
    z += 1.0
    return np.sum(y * y) + np.sum(z)


def turned(x, i):
    y = x * 1.0
    z = y[i].T
    z[0] = z[0] * 2
    return np.sum(z * z) + np.sum(y)


CASES = {
    part_changed: [(PLACES,), (ROWS,), (2,), ([0, 2],), (TABLE,), (X > 0,), (slice(1, 3),)],
    columns_put_back: [(COLUMNS,), (np.array([1, 3]),), (2,), (slice(0, 2),)],
    put_back_in_a_loop: [(PLACES,), (ROWS,), (slice(0, 3),), (TABLE,)],
    beside_an_integer: [(PLACES, 1), (ROWS, 2), (1, 1), (slice(0, 2), 1)],
    moved_on: [(PLACES,), (2,), (TABLE,)],
    bound_anew: [(PLACES,), (ROWS,), (2,)],
    turned: [(PLACES,), (ROWS,), (slice(0, 2),)],
}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("program", CASES, ids=lambda item: item.__name__)
@pytest.mark.parametrize("backwards", [False, True])
def test_the_kind_of_places_may_change_from_call_to_call(program, backwards, backend, monkeypatch):
    monkeypatch.setenv("SRCGRAD_PROVE", "0")
    g = sg.value_and_grad(program, backend=backend)
    calls = CASES[program][::-1] if backwards else CASES[program]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", (sg.CompileWarning, sg.FallbackWarning))
        for others in calls:
            value, grad = g(X.copy(), *others)
            assert value == pytest.approx(program(X.copy(), *others), rel=1e-12)
            np.testing.assert_allclose(grad, _differences(program, others), atol=1e-5)


def _differences(program, others):
    found = np.zeros_like(X)
    for place in itertools.product(*map(range, X.shape)):
        up, down = X.copy(), X.copy()
        up[place] += 1e-6
        down[place] -= 1e-6
        found[place] = (program(up, *others) - program(down, *others)) / 2e-6
    return found


def test_what_a_mask_takes_out_is_a_copy_in_the_text():
    g = sg.value_and_grad(columns_put_back)
    g(X, COLUMNS)
    assert "holds truths" in g.source
    assert "shadow_of_view" not in g.source


@pytest.mark.skipif("numba" not in BACKENDS, reason="needs Numba")
def test_masks_behind_whole_axes_are_compiled():
    with warnings.catch_warnings():
        warnings.simplefilter("error", sg.CompileWarning)
        g = sg.value_and_grad(columns_put_back, backend="numba")
        g(X, COLUMNS)
    assert "put_masked(y, m, 0.0)" in g.source


@pytest.mark.skipif("numba" not in BACKENDS, reason="needs Numba")
def test_an_index_of_no_parts_is_none_by_a_mask():
    def whole(x):
        y = np.sum(x * x, keepdims=True)[0, 0]
        z = np.asarray(y)
        return z[()] * x[0, 1]

    found = sg.value_and_grad(whole, backend="numba")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sg.CompileWarning)
        value, _ = found(X)
    assert value == pytest.approx(whole(X))
