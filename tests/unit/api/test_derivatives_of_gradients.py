"""Derivatives of gradients, and of programs whose names and numbers are like those of gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import srcgrad as sg

Z = np.array([0.4 + 0.7j, 0.9 - 0.3j])
TURN = np.array([0.3 - 0.2j, 0.5 + 0.4j])
WEIGHT = np.array([1.1 + 0.2j, 0.3 - 0.8j])


def square(z: Any) -> Any:
    return np.sum(np.real(WEIGHT * z * z))


def size(z: Any) -> Any:
    return np.sum(np.abs(z))


def inverse(z: Any) -> Any:
    return np.sum(np.real(WEIGHT / z))


def conjugated(z: Any) -> Any:
    return np.sum(np.real(WEIGHT * np.exp(np.conj(z)) * z))


def along(function: Callable[[Any], Any], step: float = 1e-4) -> Any:
    return (function(Z + step * TURN) - function(Z - step * TURN)) / (2 * step)


@pytest.mark.parametrize("function", [square, size, inverse, conjugated])
@pytest.mark.filterwarnings("ignore::srcgrad.FallbackWarning")
def test_the_gradient_of_complex_numbers_is_differentiated_with_its_conjugates(
    function: Any,
) -> None:
    gradient = sg.grad(function)
    expected = along(gradient)
    _, tangent = sg.jvp(gradient, (Z,), (TURN,))
    np.testing.assert_allclose(tangent, expected, rtol=1e-6, atol=1e-6)
    _, pull = sg.vjp(gradient, Z)
    np.testing.assert_allclose(pull(TURN)[0], expected, rtol=1e-6, atol=1e-6)  # symmetric


def product_of_grad(grad: Any, factor: Any) -> Any:
    conjugate = np.conj(factor)
    return grad * conjugate


def test_a_variable_of_the_user_may_be_called_grad() -> None:
    x, y = np.array([2.0, 3.0]), np.array([5.0, 7.0])
    one = np.ones(2)
    _, tangent = sg.jvp(product_of_grad, (x, y), (one, one))
    np.testing.assert_array_equal(tangent, x + y)


def direction(z: Any) -> Any:
    return np.sum(np.real(WEIGHT * np.sign(z)))


def test_the_sign_of_a_complex_number_is_left_to_the_tape() -> None:
    with pytest.raises(sg.MissingRuleError, match=r"np\.sign"):
        sg.grad(direction, fallback="error")(Z)
    with pytest.warns(sg.FallbackWarning):
        gradient = sg.grad(direction)(Z)
    step = 1e-5
    moved = [(direction(Z + step * u) - direction(Z - step * u)) / (2 * step) for u in np.eye(2)]
    np.testing.assert_allclose(np.real(gradient), moved, rtol=1e-6)


def test_the_sign_of_real_numbers_is_a_constant() -> None:
    gradient = sg.grad(lambda x: np.sum(x * np.sign(x)), fallback="error")
    np.testing.assert_array_equal(gradient(np.array([2.0, -3.0])), [1.0, -1.0])


def flat(x: Any, order: str, weights: Any) -> Any:
    return np.sum(weights * np.ravel(x, order))


def strided(x: Any) -> Any:
    wide = np.zeros((2 * x.shape[0], *x.shape[1:]), order="F")
    wide[::2] = x
    return wide[::2]


LAYOUTS: list[Callable[[Any], Any]] = [
    np.ascontiguousarray,
    np.asfortranarray,
    strided,
    lambda x: np.asfortranarray(x)[::-1],
    lambda x: np.ascontiguousarray(np.transpose(x, (1, 0, 2))).transpose(1, 0, 2),
]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("order", ["C", "F", "A", "K"])
def test_the_order_of_memory_is_that_of_the_array_handed_in(order: str, layout: Any) -> None:
    weights = np.arange(24.0)
    laid = layout(np.zeros((2, 3, 4)))
    expected = np.zeros((2, 3, 4))
    for place in np.ndindex(laid.shape):
        unit = layout(np.zeros((2, 3, 4)))
        unit[place] = 1.0
        expected[place] = flat(unit, order, weights)
    gradient = sg.grad(flat, fallback="error")(laid, order, weights)
    np.testing.assert_array_equal(gradient, expected)


def rotated(x: Any, c: Any) -> Any:
    return np.real(x * np.conj(c * x) * c * c)


def cubic(x: Any, c: Any) -> Any:
    return np.real(c * x * x * x)


@pytest.mark.parametrize("function", [rotated, cubic])
@pytest.mark.parametrize("first", [0.3, 0.4 - 0.9j])
def test_a_gradient_of_a_gradient_knows_of_complex_arguments(function: Any, first: Any) -> None:
    inner = sg.grad(function)
    twice = sg.grad(inner, fallback="tape")
    for factor in (first, 0.4 - 0.9j, 0.3):
        expected = (inner(0.7 + 1e-5, factor) - inner(0.7 - 1e-5, factor)) / 2e-5
        np.testing.assert_allclose(twice(0.7, factor), expected, rtol=1e-8)
    with pytest.raises(sg.UnsupportedError, match="complex arguments"):
        sg.grad(inner, fallback="error")(0.7, 0.4 - 0.9j)
