"""Products of many numbers, whose adjoints take other ways than those of few."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.runtime import recurrence
from tests.differences import assert_same, numerical_gradient

RNG = np.random.default_rng(0)
WEIGHTS = RNG.uniform(0.5, 1.5, (21, 3))


def running(a: Any) -> Any:
    return np.sum(WEIGHTS * np.cumprod(a, axis=0))


def of_rows(a: Any) -> Any:
    return np.sum(WEIGHTS[0] * np.prod(a, axis=0))


def numbers(rows: int, columns: int, zeros: int) -> Any:
    """Return numbers around 1, with as many zeros in the first column."""
    drawn = RNG.uniform(0.8, 1.2, (rows, columns))
    drawn[rows // 2 : rows // 2 + zeros, 0] = 0
    return drawn


@pytest.mark.parametrize("zeros", [0, 1, 2])
@pytest.mark.parametrize(("function", "rows"), [(running, 21), (of_rows, 301)])
def test_long_products_agree_with_differences(function: Any, rows: int, zeros: int) -> None:
    x = numbers(rows, 3, zeros)
    expected = numerical_gradient(function, (x,), 0)
    assert_same(sg.grad(function, fallback="error")(x), expected)
    tensor = sg.tensor(x, requires_grad=True)
    (on_tape,) = sg.autograd.grad(function(tensor), tensor)
    assert_same(on_tape.numpy(), expected)
    way = RNG.uniform(0.5, 1.5, x.shape)
    _, slope = sg.jvp(function, (x,), (way,))
    assert_same(slope, np.sum(expected * way))


@pytest.mark.parametrize(("function", "rows"), [(running, 21), (of_rows, 301)])
def test_second_derivatives_of_long_products_agree_with_differences(
    function: Any, rows: int
) -> None:
    x, way = numbers(rows, 3, 1), RNG.uniform(0.5, 1.5, (rows, 3))
    gradient = sg.grad(function)
    expected = (gradient(x + 1e-5 * way) - gradient(x - 1e-5 * way)) / 2e-5
    tensor = sg.tensor(x, requires_grad=True)
    (first,) = sg.autograd.grad(function(tensor), tensor, create_graph=True)
    (second,) = sg.autograd.grad(np.sum(first * way), tensor)
    np.testing.assert_allclose(second.numpy(), expected, 1e-5, 1e-6)


def test_a_recurrence_is_finite_where_products_of_its_factors_are_not() -> None:
    rows, factors = np.zeros(20), np.full(20, 1e200)
    rows[-1] = 1.0
    np.testing.assert_array_equal(recurrence(rows, factors), rows)
