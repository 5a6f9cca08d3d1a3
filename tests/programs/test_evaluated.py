"""Checks that what `eval` may name beside a derivative is no matter where all of it is plain."""

from __future__ import annotations

from typing import Any

import numpy as np

import srcgrad as sg
from tests.differences import assert_same, numerical_gradient


class Unused:
    """Has operators of its own, which nobody calls."""

    def __init__(self) -> None:
        self.weight = 2.0

    def __mul__(self, other: Any) -> Any:
        return 3 * other


UNUSED = Unused()
X = np.array([[1.5, -0.5], [0.25, 2.0]])


def weighted(x: Any) -> Any:
    return np.sum(x * x) * (UNUSED.weight + 0 * eval("x[0, 0]"))


def test_an_object_with_operators_that_nobody_calls_is_read() -> None:
    gradient = sg.grad(weighted, fallback="tape")
    assert_same(gradient(X), numerical_gradient(weighted, (X,), 0))
