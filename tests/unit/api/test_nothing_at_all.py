"""Checks gradients by arrays without elements: they are empty, as the function is NaN or a sum."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import srcgrad as sg


def mean_of_squares(x: Any) -> Any:
    return np.mean(x**2) * 2.0


def mean_by_hand(x: Any) -> Any:
    return np.sum(np.sin(x)) / len(x)


def mean_in_a_loop(x: Any) -> Any:
    total = 0.0
    for _ in range(2):
        total = total + np.mean(np.sin(x))
    return total


CASES = {
    "mean": np.mean,
    "average": np.average,
    "median": np.median,
    "var": np.var,
    "std": np.std,
    "sum": np.sum,
    "norm": np.linalg.norm,
    "method": lambda x: x.mean(),
    "squares": mean_of_squares,
    "by hand": mean_by_hand,
    "loop": mean_in_a_loop,
}


@pytest.mark.parametrize("backend", ["auto", "tape"])
@pytest.mark.parametrize("function", CASES.values(), ids=CASES)
def test_an_array_without_elements_has_an_empty_gradient(
    function: Callable[..., Any], backend: Any
) -> None:
    def f(x: Any) -> Any:
        return function(x)

    nothing = np.zeros(0)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        value, gradient = sg.value_and_grad(f, backend=backend)(nothing)
        np.testing.assert_array_equal(value, f(nothing))
        assert gradient.shape == (0,)
        value, pull = sg.vjp(f, nothing, backend=backend)
        np.testing.assert_array_equal(value, f(nothing))
        assert pull(1.0)[0].shape == (0,)
        assert np.ndim(sg.jvp(f, (nothing,), (nothing,), backend=backend)[1]) == 0


def test_a_division_by_zero_of_the_function_itself_is_its_own() -> None:
    def f(x: Any, n: Any) -> Any:
        return x * (1.0 / n)

    with pytest.raises(ZeroDivisionError):
        sg.grad(f)(2.0, 0)
