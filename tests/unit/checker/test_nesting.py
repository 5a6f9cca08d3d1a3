"""Tests that runs over elements store no array in an entry of an array, as NumPy's floats do not.

One that holds itself ended the process at the next operation.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import srcgrad as sg

X = np.array([0.5, 1.0, 2.0])


def stored_in_itself_and_caught(x: Any) -> Any:
    for _ in range(2):
        try:
            p = x
            saved = p[0] = x
            p[1] *= saved
        except (TypeError, ValueError):
            pass
    return x[2] * 0.5


def stored_in_itself_by_a_helper(x: Any) -> Any:
    y = x * 2.0
    try:
        _put(y, y)
    except ValueError:
        y = y * x
    return np.sum(y * y)


def _put(y: Any, value: Any) -> None:
    y[1] = value


def two_in_each_other(x: Any) -> Any:
    y, z = x * 2.0, x * 3.0
    try:
        y[0], z[0] = z, y
    except (TypeError, ValueError):
        y = y + z
    return np.sum(y * z)


def filled_with_itself(x: Any) -> Any:
    y = x * 2.0
    try:
        y.fill(y)
    except ValueError:
        y = y + x
    return np.sum(y * y)


CAUGHT = [
    stored_in_itself_and_caught,
    stored_in_itself_by_a_helper,
    two_in_each_other,
    filled_with_itself,
]


@pytest.mark.parametrize("f", CAUGHT)
@pytest.mark.parametrize("backend", ["auto", "tape"])
@pytest.mark.filterwarnings("ignore::srcgrad.FallbackWarning")
def test_the_gradient_goes_the_way_that_the_function_goes(f: Any, backend: Any) -> None:
    found = sg.grad(f, backend=backend)(X.copy())
    steps = 1e-6 * np.eye(3)
    expected = [(f(X + step) - f(X - step)) / 2e-6 for step in steps]
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-8)
    _, tangent = sg.jvp(f, (X.copy(),), (np.ones(3),), backend=backend)
    np.testing.assert_allclose(tangent, np.sum(expected), rtol=1e-6)
