"""Second derivatives of a user's Function that is called, not put in place of its call."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import srcgrad as sg


class Kept(sg.autograd.Function):
    """The cube, with a statement that keeps its text out of that of a gradient."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        try:
            ctx.save_for_backward(x)
            return x**3
        finally:
            pass

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        (x,) = ctx.saved_tensors
        return 3 * grad * x * x


class Noted(sg.autograd.Function):
    """The cube, which keeps its argument as an attribute."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        try:
            ctx.x = x
            return x**3
        finally:
            pass

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return 3 * grad * ctx.x * ctx.x


class Length(sg.autograd.Function):
    """The length of a vector of any number of coordinates."""

    @staticmethod
    def forward(ctx: Any, *xs: Any) -> Any:
        y = np.sqrt(sum(x * x for x in xs))
        ctx.save_for_backward(*xs, y)
        return y

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        *xs, y = ctx.saved_tensors
        return tuple(grad * x / y for x in xs)


def kept(x: Any) -> Any:
    return np.sum(Kept.apply(x))


def noted(x: Any) -> Any:
    return np.sum(Noted.apply(x))


def length(x: Any) -> Any:
    return np.sum(Length.apply(x, 2 * x) ** 3)


@pytest.mark.parametrize("function", [kept, noted, length])
def test_the_second_derivative_sees_what_is_kept_for_the_first(function: Any) -> None:
    x = np.array([0.5, 1.0, 2.0])
    gradient = sg.grad(function)
    with pytest.warns(sg.FallbackWarning, match="differentiated on the tape"):
        value, pull = sg.vjp(gradient, x)
    assert type(value) is np.ndarray
    np.testing.assert_allclose(value, gradient(x))
    expected = (gradient(x + 1e-6) - gradient(x - 1e-6)) / 2e-6
    np.testing.assert_allclose(pull(np.ones(3))[0], expected, rtol=1e-8)


def test_a_hook_may_return_what_it_was_given_in_a_plain_function() -> None:
    def doubled(x: Any) -> Any:
        y = sg.tensor(x) if isinstance(x, float) else x * x
        y.register_hook(lambda grad: grad * 2)
        return np.sum(y * y)

    x = np.array([0.5, 1.0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sg.FallbackWarning)
        np.testing.assert_allclose(sg.grad(doubled)(x), 8 * x**3)
