"""Second derivatives where an array that a node has saved is written afterwards.

The node gets a copy then, which may lie where an operand lay that nobody holds any more.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import srcgrad as sg

X = np.array([0.5, -0.4, 0.9, 0.1])
V = np.array([1.0, 2.0, -1.0, 0.5])


def constant_updated(x: Any) -> Any:
    t = np.ones(4)
    q = (x * 2) * t
    t += 1.0
    return np.sum(q * q)


def constant_on_the_left(x: Any) -> Any:
    t = np.ones(4)
    q = t * np.sin(x * 1)
    t[0] = 5.0
    return np.sum(q * q)


def divisor_written(x: Any) -> Any:
    t = np.full(4, 2.0)
    q = (x * x) / t
    t[...] = 3.0
    return np.sum(q * q)


def constant_out_of_a_dict(x: Any) -> Any:
    parts = {"p": np.ones(4) * 1.0, "q": np.add(x, x * x)}
    t = parts.pop("p")
    parts["q"] = parts["q"] * t
    t += 1.0
    return np.sum(parts["q"] ** 2)


def matrix_written(x: Any) -> Any:
    t = np.eye(4)
    q = t @ (x * 2)
    t[0, 1] = 4.0
    return np.sum(q * q)


def value_written(x: Any) -> Any:
    t = x * 2.0
    q = np.sin(x * 1) * t
    t *= x
    return np.sum(q * q) + np.sum(t)


FUNCTIONS: list[Callable[[Any], Any]] = [
    constant_updated,
    constant_on_the_left,
    divisor_written,
    constant_out_of_a_dict,
    matrix_written,
    value_written,
]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_second_derivatives_know_a_copy_from_what_lay_there(function: Callable[[Any], Any]) -> None:
    gradient = sg.grad(function, backend="tape")
    eps = 1e-6
    expected = (gradient(X + eps * V) - gradient(X - eps * V)) / (2 * eps)
    found = sg.hvp(function, (X,), (V,), backend="tape")
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-7)
    twice = sg.grad(lambda x: np.sum(gradient(x) * V), backend="tape")
    np.testing.assert_allclose(twice(X), expected, rtol=1e-6, atol=1e-7)
