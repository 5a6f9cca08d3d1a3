"""Where a step is infinitely steep, and the function is smooth all the same."""

from __future__ import annotations

import numpy as np
import pytest

import srcgrad as sg
from tests.differences import numerical_gradient


@pytest.fixture(autouse=True)
def _quiet():
    with np.errstate(all="ignore"):  # texts divide by zero before anybody is asked
        yield


def roots_of_distances(x):
    return np.sum((np.abs(x[:, None] - x) ** 0.5 - 1.0) ** 2)


def angle_with_itself(x):
    return np.sum(np.arccos(np.clip(x * (x + 1.0) / np.abs(x * (x + 1.0)), -1.0, 1.0)) * x)


def cubes(x):
    return np.sum(np.sqrt((x - 2.0) ** 2) ** 3)


def in_a_loop(x):
    total = 0.0
    for i in range(3):
        for j in range(3):
            total += abs(x[i] - x[j]) ** 0.25 * x[i]
    return total


def writes(x):
    y = np.abs(x - x) ** 0.3
    x[0] = 9.0
    return np.sum(y * x + np.abs(x - x[1]) ** 1.5)


SMOOTH = [roots_of_distances, angle_with_itself, cubes, in_a_loop, writes]


@pytest.mark.parametrize("backend", ["auto", "tape"])
@pytest.mark.parametrize("function", SMOOTH)
def test_numbers_that_differences_confirm_take_the_place_of_nan(function, backend):
    x = np.array([1.0, 2.0, 3.5])
    expected = numerical_gradient(lambda at: function(at.copy()), (x,), 0)
    assert np.allclose(sg.grad(function, backend=backend)(x.copy()), expected, atol=1e-5)
    _, pull = sg.pullback(function, backend=backend)(x.copy())
    assert np.allclose(pull(2.0), 2.0 * np.asarray(expected), atol=1e-5)


def product_with_a_weight(x):
    return np.sum(np.sqrt(x) * np.array([0.0, 1.0]))


def absolute_values(x):
    return np.sum(np.sqrt(x * x) + np.abs(x - x) ** 0.5)


def square_of_a_root(x):
    return np.sum(np.sqrt(x) * np.sqrt(x))


@pytest.mark.parametrize("backend", ["auto", "tape"])
@pytest.mark.parametrize("function", [product_with_a_weight, absolute_values, square_of_a_root])
def test_kinks_and_edges_stay_nan_and_the_rest_is_told(function, backend):
    found = sg.grad(function, backend=backend)(np.array([0.0, 4.0]))
    assert np.isnan(found[0])
    assert np.isfinite(found[1])


def test_what_runs_the_function_nearby_leaves_no_trace():
    calls = []

    def counting(x):
        calls.append(1)
        return np.sum(np.abs(x - x) ** 0.5 * x)

    assert np.array_equal(sg.grad(counting)(np.array([1.0, 2.0])), [0.0, 0.0])
    assert len(calls) == 1


def test_parts_of_containers_are_told_apart():
    def kept(p):
        steady = np.sum(np.abs(p["a"] - p["a"]) ** 0.5 * p["b"])
        return steady + np.sum(np.abs(p["c"]) ** 0.5)

    found = sg.grad(kept)({"a": np.array([0.0, 3.0]), "b": 2.0, "c": np.array([0.0, 4.0])})
    assert np.array_equal(found["a"], [0.0, 0.0])
    assert np.isnan(found["c"][0])
    assert found["c"][1] == 0.25
