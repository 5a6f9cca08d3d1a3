"""Gradients of reductions over many examples, beside one example at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import srcgrad as sg

FUNCTIONS: list[Callable[[Any], Any]] = [
    lambda x: np.sum(np.sin(np.sum(x, axis=0)) * 2.0),
    lambda x: np.sum(np.sin(np.sum(x, axis=1)) * 2.0),
    lambda x: np.sum(np.mean(x * x, axis=-1) ** 2),
    lambda x: np.mean(x, axis=None) ** 3,
    lambda x: np.sum((x - np.mean(x, axis=0, keepdims=True)) ** 3),
    lambda x: np.sum((x - np.max(x, axis=1, keepdims=True)) ** 3),
    lambda x: np.sum(np.max(x, axis=0) ** 2 * np.min(x, axis=0)),
    lambda x: np.sum(np.std(x, axis=1) ** 3),
    lambda x: np.sum(np.prod(x, axis=0) ** 2),
    lambda x: np.sum(np.cumsum(x, axis=1) ** 2),
    lambda x: np.sum(np.sum(x, axis=(0, 1), keepdims=True) * x),
]


@pytest.mark.parametrize("number", range(len(FUNCTIONS)))
def test_gradients_of_reductions_along_an_axis(number: int) -> None:
    gradient = sg.grad(FUNCTIONS[number], fallback="error")
    xs = np.random.default_rng(3).uniform(0.5, 1.5, size=(4, 2, 3))
    found = sg.vmap(gradient, fallback="error")(xs)
    np.testing.assert_allclose(found, [gradient(x) for x in xs], rtol=1e-12, atol=1e-14)
