"""Tests numbers of classes with operators of their own, wherever they are made."""

from __future__ import annotations

import functools
from typing import Any

import pytest

import srcgrad as sg

pytestmark = pytest.mark.filterwarnings("ignore::srcgrad.FallbackWarning")


class Tripled(float):
    """A number whose product is not that of numbers."""

    def __mul__(self, other: Any) -> Any:
        return 3.0 * other * other


class Made:
    """Makes such numbers."""

    @classmethod
    def of(cls, value: Any) -> Any:
        return Tripled(value)


def _made(value: Any) -> Any:
    return Tripled(value)


def _made_by_another(value: Any) -> Any:
    return _made(value)


_made_of_two = functools.partial(_made, 2.0)


def by_a_class(x: Any) -> Any:
    return Tripled(2.0) * x


def by_a_function(x: Any) -> Any:
    return _made(2.0) * x


def by_a_function_of_a_function(x: Any) -> Any:
    return _made_by_another(2.0) * x


def by_a_partial_function(x: Any) -> Any:
    return _made_of_two() * x


def by_a_method_of_a_class(x: Any) -> Any:
    return Made.of(2.0) * x


def by_a_class_made_inside(x: Any) -> Any:
    class Local(float):
        def __mul__(self, other: Any) -> Any:
            return float(self) * other + other * other

    return Local(2.0) * x


def by_complex_numbers_made_inside(x: Any) -> Any:
    class Local(complex):
        def twice(self) -> Any:
            return self * 2

    size = abs(Local(1j).twice())
    return x * size * isinstance(Local(1j), complex) * issubclass(Local, complex)


def by_what_is_made_inside_and_plain(x: Any) -> Any:
    class Local(float):
        kind = "own"

    own = Local(3.0)
    return x * own if own.kind == "own" and isinstance(own, float) else x


@pytest.mark.parametrize("backend", ["auto", "tape"])
@pytest.mark.parametrize(
    "function",
    [
        by_a_class,
        by_a_function,
        by_a_function_of_a_function,
        by_a_partial_function,
        by_a_method_of_a_class,
        by_a_class_made_inside,
        by_complex_numbers_made_inside,
        by_what_is_made_inside_and_plain,
    ],
)
def test_the_slope_is_that_of_the_numbers_own_operators(function: Any, backend: Any) -> None:
    x, step = 1.5, 1e-6
    slope = (function(x + step) - function(x - step)) / (2 * step)
    assert sg.grad(function, backend=backend)(x) == pytest.approx(slope, rel=1e-6)
