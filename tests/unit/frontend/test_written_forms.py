"""Forms in which people write what goes by source: annotated helpers, lists that are repeated."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import integrate, optimize

import srcgrad as sg
from tests.differences import assert_same, numerical_gradient

X = np.array([0.5, 1.5])


def integral_of_annotated(x: Any) -> Any:
    def inner(t: float) -> float:
        return t * x[0]

    return integrate.quad(inner, 0.0, 1.0)[0] * x[1]


def root_of_annotated(x: Any) -> Any:
    def inner(t: np.ndarray) -> np.ndarray:
        return t**2 - x

    return np.sum(optimize.root(inner, np.ones(2), tol=1e-12).x)


def bracketed_root_of_annotated(x: Any) -> Any:
    def inner(t: float) -> float:
        square: float = t * t
        return square - x[0]

    return optimize.brentq(inner, 0.0, 3.0, xtol=1e-14) * x[1]


def order_by_annotated(x: Any) -> Any:
    def key(i: int) -> float:
        return -x[i]

    return x[sorted([0, 1], key=key)[0]] * 2.0  # noqa: FURB192 - what is tested


def fewer_values_than_places(x: Any) -> Any:
    table = np.outer(x, x)
    np.put(table, [0, 3, 0], [x[0], x[1] * 2.0])
    return np.sum(table**2)


def more_values_than_places(x: Any) -> Any:
    table = np.outer(x, x)
    np.put(table, [2], [x[0], x[1] * 2.0])
    return np.sum(table**2)


def as_many_values_as_places(x: Any) -> Any:
    table = np.outer(x, x)
    np.put(table, [1, 2], [x[0], x[1] * 2.0])
    return np.sum(table**3)


@pytest.mark.parametrize(
    "function",
    [
        integral_of_annotated,
        root_of_annotated,
        bracketed_root_of_annotated,
        order_by_annotated,
        fewer_values_than_places,
        more_values_than_places,
        as_many_values_as_places,
    ],
)
def test_what_is_written_so_goes_by_source(function: Any) -> None:
    for x in (X, X * 1.3):
        found = sg.grad(function, fallback="error")(x.copy())
        assert_same(found, numerical_gradient(function, (x,), 0), 1e-6, 1e-6)
