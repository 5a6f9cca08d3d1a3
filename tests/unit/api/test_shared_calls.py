"""Tangents that read a value in the place of a call like it: right, and nobody else's memory."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import srcgrad as sg

X = np.array([0.5, -1.25, 2.0])


def rebinds_a_parameter(x):
    y = np.sin(x)
    x = x * 1.5
    return np.sum(y * np.cos(x) * x)


def rebinds_in_a_branch(x):
    y = np.sin(x)
    if x[0] > 0:
        x = x + y
    return np.sum(np.cos(x) * y + np.sin(x))


def writes_in_place(x):
    y = x * 1.0
    z = np.sin(y)
    y[1:] = z[:-1]
    return np.sum(np.sin(y) * np.cos(y) * z)


def within(x, low, high):
    """A function of the user's by the name of one of ours."""
    return np.tanh(x) * (high - low)


def calls_a_namesake(x):
    return np.sum(within(x, 0.0, 2.0) * within(x, 0.0, 2.0) * np.exp(x))


def of_both_signs(x):
    return np.sum(np.logaddexp(0.0, x) * np.logaddexp(x, -x))


def leaves_early(x):
    y = np.sin(x)
    if np.sum(y) > 0:
        return np.sum(y * np.cos(x))
    return np.sum(np.cos(x) * np.cos(x))


FUNCTIONS = (
    rebinds_a_parameter,
    rebinds_in_a_branch,
    writes_in_place,
    calls_a_namesake,
    of_both_signs,
    leaves_early,
)


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_products_with_second_derivatives_are_differences_of_gradients(
    function: Callable[..., Any], sign: float
) -> None:
    x, v, step = sign * X, np.array([1.0, 0.5, -0.75]), 1e-6
    gradient = sg.grad(function, fallback="error")
    expected = (gradient(x + step * v) - gradient(x - step * v)) / (2 * step)
    np.testing.assert_allclose(sg.hvp(function, (x,), (v,)), expected, 1e-6, 1e-7)
    np.testing.assert_allclose(sg.hessian(function)(x) @ v, expected, 1e-6, 1e-7)


def test_a_value_and_its_tangent_are_different_arrays() -> None:
    value, tangent = sg.jvp(np_exp, (X,), (np.ones(3),))
    assert not np.shares_memory(value, tangent)


def np_exp(x):
    return np.exp(x)


def test_a_tangent_calls_once_what_a_value_and_a_slope_need() -> None:
    calls = re.findall(r"exp_difference\([^)]*\)", sg.hessian_product(of_both_signs).source)
    assert len(calls) == len(set(calls)) > 1
