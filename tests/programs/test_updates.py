"""Checks that updates in place keep the types and shapes of arrays, as NumPy does it, by source."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import srcgrad as sg

X = np.array([0.3, 1.7, -0.4])


def narrow_by_wide(x: Any) -> Any:
    t = np.zeros(3, np.float32)
    t += x
    t *= np.arange(3.0)
    return np.sum(t**2)


def argument_by_constants(x: Any) -> Any:
    t = x * 2.0
    t *= np.linspace(1.0, 2.0, 3)
    return np.sum(np.sin(t) * t)


def in_a_loop(x: Any) -> Any:
    t = np.ones(3, np.float32)
    for k in range(3):
        t *= np.sin(x + k)
    return np.sum(t**2)


def in_a_branch(x: Any) -> Any:
    t = np.cos(x).astype("float32")
    if x[0] > 0:
        t /= np.linspace(1.0, 2.0, 3) * x
    return np.sum(t**2)


def numbers_of_a_wider_kind(x: Any) -> Any:
    t = np.sum(x)
    t *= x
    return np.sum(t**2)


def grows(x: Any) -> Any:
    t = x[:1] * 1.0
    t *= x
    return np.sum(t)


def grows_in_a_loop(x: Any) -> Any:
    t = np.ones((1, 3))
    for _ in range(2):
        t -= np.outer(x, x)
    return np.sum(t)


def integers_by_floats(x: Any) -> Any:
    t = np.ones(3, int)
    t *= x
    return np.sum(t)


def integers_by_a_number(x: Any) -> Any:
    t = np.arange(1, 4)
    t *= np.sum(x)
    return np.sum(t**2)


KEPT = (narrow_by_wide, argument_by_constants, in_a_loop, in_a_branch, numbers_of_a_wider_kind)
REFUSED = (grows, grows_in_a_loop, integers_by_floats, integers_by_a_number)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("function", KEPT)
def test_updates_keep_the_type(function: Callable[..., Any], kind: Any) -> None:
    x = X.astype(kind)
    value, gradient = sg.value_and_grad(function, fallback="error")(x)
    assert type(value) is type(function(x))
    np.testing.assert_allclose(value, function(x), rtol=1e-6)
    assert gradient.dtype == kind
    expected = sg.grad(function, backend="tape")(x.astype(np.float64))
    np.testing.assert_allclose(gradient, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("function", REFUSED)
def test_what_numpy_refuses_is_refused(function: Callable[..., Any]) -> None:
    with pytest.raises((TypeError, ValueError)):
        function(X)
    with pytest.raises((TypeError, ValueError)):
        sg.grad(function, fallback="error")(X)
    with pytest.raises((TypeError, ValueError)):
        sg.vjp(function, X, fallback="error")


def test_guarded_updates_have_second_derivatives() -> None:
    def f(x: Any) -> Any:
        t = x * 2.0
        t *= np.linspace(1.0, 2.0, 3)
        t *= np.sin(x)
        return np.sum(np.sin(t) * t)

    along = np.array([0.4, -1.0, 0.2])
    expected = (sg.grad(f)(X + 1e-6 * along) - sg.grad(f)(X - 1e-6 * along)) / 2e-6
    gradient = sg.grad(f, fallback="error")
    np.testing.assert_allclose(sg.jvp(gradient, (X,), (along,))[1], expected, rtol=1e-7)
    np.testing.assert_allclose(sg.vjp(gradient, X)[1](along)[0], expected, rtol=1e-7)
