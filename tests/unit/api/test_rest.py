"""What stands in ``*args`` of a function that is not asked for a derivative in it."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from tests.differences import numerical_gradient

X = np.array([0.4, 1.3, 2.1])


def _decorated(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapper(x: Any, *rest: Any, **named: Any) -> Any:
        for item in rest[1:]:
            x = x * item
        return function(x, *rest[:1], **named)

    return wrapper


@_decorated
def power(x: Any, p: Any = 2.0) -> Any:
    """Return a sum of powers."""
    return np.sum(x**p)


@_decorated
def through(x: Any, function: Any = np.sin) -> Any:
    """Return the sum of what a function gives."""
    return np.sum(function(x))


@_decorated
def scaled_in_place(x: Any, weights: Any) -> Any:
    """Write into what comes second."""
    weights[0] = x[0] * weights[1]
    return np.sum(x * weights[0])


CASES: list[tuple[Any, tuple[Any, ...]]] = [
    *((power, rest) for rest in ((), (3.0,), (2,), (1.5, 2.0), (1.5, 2.0, 3.0), ())),
    *((through, rest) for rest in ((), (np.cos,), (np.exp, 2.0), ())),
    *((through, rest) for rest in ((np.sin,), (np.tanh,), (np.tanh,), (np.exp, 3.0))),
    *((scaled_in_place, (w,)) for w in (np.array([1.0, 2.0]), np.array([1.0, -3.0]))),
]


@pytest.mark.parametrize("fallback", ["error", "tape"])
def test_each_number_and_kind_of_others_is_followed(fallback: Any) -> None:
    made: dict[Any, Any] = {}
    for function, rest in CASES:
        gradient = made.setdefault(function, sg.grad(function, fallback=fallback))
        given = [item.copy() if isinstance(item, np.ndarray) else item for item in rest]

        def at(x: Any, function: Any = function, rest: Any = rest) -> Any:
            return function(x, *[r.copy() if isinstance(r, np.ndarray) else r for r in rest])

        assert np.allclose(gradient(X, *given), numerical_gradient(at, (X,), 0), atol=1e-5)
