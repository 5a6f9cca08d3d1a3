"""Gradients of what looks as if a shift or a factor cancelled, and does not, and of what does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from tests.differences import assert_same, numerical_gradient

W = np.array([0.3, -1.2, 0.8, 2.0])
FUNCTIONS: list[Callable[[Any], Any]] = [
    lambda x: np.exp(x - np.max(x)),
    lambda x: np.exp(x / np.max(x)),
    lambda x: np.sin(x - np.max(x)) + 2.0,
    lambda x: np.log(x / np.max(x)) + 3.0,
    lambda x: np.log(x - np.max(x) + 5.0),
    lambda x: np.tanh(x - np.min(x)) + 1.0,
    lambda x: np.sqrt(x / np.min(x)),
    lambda x: np.exp(-(x - np.max(x))),
]


@pytest.mark.parametrize("number", range(len(FUNCTIONS)))
def test_what_is_taken_off_inside_of_a_function_counts_where_it_matters(number: int) -> None:
    inner = FUNCTIONS[number]

    def shares(x: Any) -> Any:
        e = inner(x)
        return np.sum(e / np.sum(e) * W)

    def shifted(x: Any) -> Any:
        return np.log(np.sum(inner(x) * W**2)) + np.max(x)

    x = np.array([0.7, 2.3, 1.1, 1.6])
    for function in (shares, shifted):
        found = sg.grad(function, fallback="error")(x)
        assert_same(found, numerical_gradient(function, (x,), 0))
