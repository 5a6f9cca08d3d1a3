"""Entries of given arrays of integers are integers: of rows, of pairs, where parts begin."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import srcgrad as sg


def states_seen(table, seen):
    weights = table[:, seen[0]]
    for place in seen[1:]:
        weights = np.tanh(table @ weights) * table[:, place]
    return np.sum(weights)


def springs(x, pairs):
    energy = 0.0
    for i, j in pairs:
        energy += (x[i] - x[j]) ** 2 * x[i]
    return energy


def springs_by_rows(x, pairs):
    energy = 0.0
    for k in range(len(pairs)):
        energy += x[pairs[k, 0]] * x[pairs[k, 1]]
        i, j = pairs[k]
        energy += np.sin(x[i] * x[j])
    return energy


def parts(x, starts):
    total = 0.0
    for k in range(len(starts) - 1):
        part = x[starts[k] : starts[k + 1]]
        total += np.sum(part) * np.sum(part * part)
    return total


def what_is_drawn_again(x, places):
    total = x * 1.0
    for place in places:
        total[place] = total[place] * x[0] + total[place - 1]
    return np.sum(total * total)


def sums_over_neighbours(x, pairs):
    total = 0.0
    for k in range(len(pairs)):
        for place in pairs[k]:
            total += x[place] * x[k]
    return total


TABLE, X = np.random.default_rng(2).normal(size=(4, 4)), np.linspace(0.4, 1.5, 4)
PAIRS = np.array([[0, 1], [1, 1], [3, 0]])
CASES: list[tuple[Callable[..., Any], Any, Any]] = [
    (states_seen, TABLE, np.array([1, 0, 1, 3])),
    (springs, X, PAIRS),
    (springs_by_rows, X, PAIRS),
    (sums_over_neighbours, X, PAIRS),
    (parts, X, np.array([0, 1, 3, 4])),
    (what_is_drawn_again, X, np.array([2, 0, 2, -1])),
]


def differences(f: Callable[..., Any], x: Any, integers: Any) -> Any:
    found = np.zeros_like(x)
    for place in np.ndindex(x.shape):
        step = np.zeros_like(x)
        step[place] = 1e-6
        found[place] = (f(x + step, integers) - f(x - step, integers)) / 2e-6
    return found


@pytest.mark.parametrize(
    ("f", "x", "integers"), CASES, ids=lambda value: getattr(value, "__name__", "")
)
def test_gradients_by_given_integers(f: Callable[..., Any], x: Any, integers: Any) -> None:
    gradient = sg.grad(f, fallback="error")
    expected = differences(f, x, integers)
    for kind in (np.int64, np.int32):
        np.testing.assert_allclose(gradient(x, integers.astype(kind)), expected, atol=1e-6)
    assert "add_at" not in gradient.source
    if f is not springs_by_rows:  # which lists have no index for
        np.testing.assert_allclose(gradient(x, integers.tolist()), expected, atol=1e-6)


def test_truths_are_no_integers() -> None:
    def chosen(x, truths):
        return np.sum(x[truths[0]] ** 2)

    gradient = sg.grad(chosen)
    np.testing.assert_allclose(gradient(X, np.array([1, 2])), 2 * X * (np.arange(4) == 1))
    np.testing.assert_allclose(gradient(X, np.array([True, False])), 2 * X)
    np.testing.assert_allclose(gradient(X, np.array([False, True])), 0 * X)
