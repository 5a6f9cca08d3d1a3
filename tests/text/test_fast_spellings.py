"""Checks what texts do faster than it is usually written: against differences, for few and many."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import srcgrad as sg

Shape = tuple[int, int]
SHAPES: tuple[Shape, ...] = ((3, 3), (80, 80), (40, 200), (500, 10))


def mirrored(x):
    y = x.copy()
    for i in range(min(x.shape[0], x.shape[1], 5) - 1):
        y[i, i + 1 : 5] = y[i, i] * y[i + 1 : 5, i][: y[i, i + 1 : 5].shape[0]]
    return np.sum(y * y)


def shifted_over_itself(x):
    y = x.copy()
    y[1:] = y[:-1] * x[1:]
    y[:-1] = y[1:]
    y[1:] += y[:-1]
    return np.sum(y**3)


def taken_apart_before_it_is_overwritten(x):
    y, z = x.copy(), np.zeros_like(x)
    for i in range(3):
        z[i] = y[i]
        y[i] = z[i] * x[i]
        z[i - 1] = y[i] + z[i]
    return np.sum(y * z)


def least_of_rows_that_change(x):
    y = x.copy()
    for i in range(3):
        t = y[i] * 2
        y[i] = np.minimum(t, y[0])
        y[0] = np.maximum(y[i], t * y[-1])
    return np.sum(y * y)


def root_of_what_is_above(x):
    return np.sum(np.where(x > 0, np.sqrt(np.abs(x)), 0.0) * x)


def left_out_again_and_again(x):
    y = np.where(x > 0, x, 0.0)
    for _ in range(2):
        y = np.where(y > 0.3, 0.0, y * (0.3 - y) * x[::-1])
    return np.sum(y * y)


def selected_by_rows(x):
    return np.sum(np.where(x[:, :1] > 0, x, 0.0) * np.where(x > 0.1, 0, np.exp(x)))


def clipped(x):
    return np.sum(np.clip(x * x, 0.2, 0.8) * x)


def softmax(x):
    weights = np.exp(x - np.max(x, axis=1, keepdims=True))
    weights = weights / np.sum(weights, axis=1, keepdims=True)
    return np.sum(weights * weights * x)


def normed(x):
    away = x - np.mean(x, axis=1, keepdims=True)
    return np.sum((away / np.sqrt(np.mean(away**2, axis=1, keepdims=True) + 1e-3)) ** 3)


def every_second(x):
    y = x[:, ::2]
    return np.sum(y / np.sum(y * y, axis=1, keepdims=True) * np.cos(y))


def between_points(x):
    away = x[:9, None, :] - x[None, :9]
    return np.sum(1 / np.sqrt(np.sum(away * away, axis=2) + 0.1))


def rows_in_a_list(x):
    rows = [np.array([v, v * v]) for v in x[0]]
    found = np.array(rows)
    return np.sum(found[:, 0] * found[::-1, 1])


def states_in_arrays(x):
    state = x[0]
    for k in range(3):
        state = np.array([state[0] * state[1], state[1] + x[k, 0], state[2] * x[0, k]])
    return np.sum(np.asarray(state))


PROGRAMS: tuple[Callable[[Any], Any], ...] = (
    mirrored, shifted_over_itself, taken_apart_before_it_is_overwritten, least_of_rows_that_change,
    root_of_what_is_above, left_out_again_and_again, selected_by_rows, clipped, softmax, normed,
    every_second, between_points, rows_in_a_list, states_in_arrays,
)  # fmt: skip


@pytest.fixture(autouse=True)
def unproven(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compare the text as it is, whatever a checker would say of it."""
    monkeypatch.setenv("SRCGRAD_PROVE", "0")


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda function: function.__name__)
def test_the_gradient_is_that_of_differences(function: Callable[[Any], Any]) -> None:
    rng = np.random.default_rng(0)
    gradient: Any = sg.grad(function, fallback="error")
    for shape in SHAPES:
        x = 0.1 + 0.7 * rng.normal(size=shape)
        given, way = x.copy(), rng.normal(size=shape)
        found = gradient(x)
        assert np.array_equal(x, given)
        moved = (function(x + 1e-6 * way) - function(x - 1e-6 * way)) / 2e-6
        size = np.sum(np.abs(found * way)) + 1.0
        assert abs(np.sum(found * way) - moved) < 1e-5 * size
        np.testing.assert_allclose(gradient(np.asfortranarray(x)), found, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda function: function.__name__)
def test_the_second_derivative_is_that_of_the_first(function: Callable[[Any], Any]) -> None:
    rng = np.random.default_rng(1)
    x, way = 0.1 + 0.7 * rng.normal(size=(5, 9)), rng.normal(size=(5, 9))
    gradient: Any = sg.grad(function)
    found = sg.jvp(gradient, (x,), (way,))[1]
    moved = (gradient(x + 1e-6 * way) - gradient(x - 1e-6 * way)) / 2e-6
    np.testing.assert_allclose(found, moved, rtol=1e-4, atol=1e-4 * np.abs(found).max())


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda function: function.__name__)
def test_single_precision_stays_single(function: Callable[[Any], Any]) -> None:
    x = 0.1 + 0.7 * np.random.default_rng(2).normal(size=(80, 80))
    gradient: Any = sg.grad(function, fallback="error")
    found = gradient(x.astype(np.float32))
    assert found.dtype == np.float32
    expected = gradient(x)
    np.testing.assert_allclose(found, expected, rtol=1e-2, atol=1e-4 * np.abs(expected).max())


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
def test_what_is_not_selected_stays_out_whatever_it_is(value: float) -> None:
    x = np.random.default_rng(3).normal(size=(80, 80))
    x[3, 4] = value
    with np.errstate(all="ignore"):
        found: Any = sg.grad(root_of_what_is_above, fallback="error")(x)
    assert np.isnan(found).sum() <= 1


@pytest.mark.parametrize(
    ("function", "spelling"),
    [
        (clipped, "kept_if("),
        (selected_by_rows, "kept_unless("),
        (softmax, "dot_along("),
    ],
)
def test_texts_say_so(function: Callable[[Any], Any], spelling: str) -> None:
    gradient: Any = sg.grad(function, fallback="error")
    gradient(np.ones((3, 3)))
    assert spelling in gradient.source
    assert "copied(" not in gradient.source
