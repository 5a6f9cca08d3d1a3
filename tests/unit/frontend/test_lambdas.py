"""Tests that the source of a lambda is found among others."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

import srcgrad as sg

CONSTANTS = [lambda: 2.5, lambda: 3.5, lambda: None]
OF_ONE_LINE = (lambda x: x * 2.5, lambda x: 2.5, lambda x: x, lambda x: 2.5 + x)


@dataclass
class Scaled:
    w: Any
    by: float = field(default_factory=lambda: 2.5)


def made(x: Any) -> Any:
    o = Scaled(x)
    return np.sum(o.w * o.by)


def test_what_gives_a_constant_is_read() -> None:
    x = np.ones(3)
    np.testing.assert_array_equal(sg.grad(made, fallback="error")(x), [2.5, 2.5, 2.5])


@pytest.mark.parametrize(("place", "slope"), [(0, 2.5), (1, 0.0), (2, 1.0), (3, 1.0)])
def test_lambdas_of_one_line_are_told_apart(place: int, slope: float) -> None:
    f = OF_ONE_LINE[place]

    def g(x: Any) -> Any:
        return np.sum(f(x) + 0.0 * x)

    np.testing.assert_array_equal(sg.grad(g, fallback="error")(np.ones(2)), [slope, slope])


@pytest.mark.parametrize(("place", "slope"), [(0, 2.5), (1, 3.5)])
def test_constants_of_one_line_are_told_apart(place: int, slope: float) -> None:
    f = CONSTANTS[place]

    def g(x: Any) -> Any:
        return np.sum(x) * f()

    np.testing.assert_array_equal(sg.grad(g, fallback="error")(np.ones(2)), [slope, slope])
