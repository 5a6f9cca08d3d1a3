"""Calls of functions without a rule and without source: they alone run on the tape."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from tests.differences import assert_same, numerical_gradient

NAMES: dict[str, Any] = {"np": np}
exec(
    "def hidden(x, k=2):\n    y = np.zeros_like(x)\n    for i in range(len(x)):\n"
    "        y[i] = x[i] ** k\n    return y\n"
    "def gone(x):\n    return np.tanh(x)\n"
    "def writes(x):\n    x[0] = 1.0\n    return x * x\n"
    "def flat(x):\n    return np.zeros_like(x)\n"
    "def alone(x):\n    return (x * 3.0,)\n"
    "def pair(x):\n    return x * x, [x * 3.0, 'text']\n"
    "def table(x):\n    return {'a': x * x, 'n': 3}\n"
    "def boxed(x):\n    return Box(x * x)\n",
    NAMES,
)
hidden, writes, flat = NAMES["hidden"], NAMES["writes"], NAMES["flat"]
less = functools.partial(NAMES["gone"])
X = np.array([0.5, 1.0, 2.0])


def scaled(factor: Any, x: Any) -> Any:
    """Be wrapped by `partial`."""
    return np.sin(x) * factor


half = functools.partial(scaled, 0.5)


class Model:
    """A callable object."""

    weight = 3.0

    def __call__(self, x: Any) -> Any:
        """Scale."""
        return x * self.weight


model = Model()


def program(x: Any) -> Any:
    """Mix calls that have source with calls that have none."""
    h = hidden(x, k=3)
    return np.sum(h * half(x) + model(x * x) * less(x))


def test_the_gradient_is_right() -> None:
    gradient = sg.grad(program, fallback="tape")
    assert "on_tape(hidden" in gradient.source
    assert_same(gradient(X), numerical_gradient(program, (X,), 0))
    assert_same(gradient(X), gradient(X), 0)


def test_it_is_said_once_with_every_line() -> None:
    gradient = sg.grad(program)
    with pytest.warns(sg.FallbackWarning) as caught:
        gradient(X)
    gradient(X)  # warnings are errors here: a second one would show
    assert len(caught) == 1
    for name in ("`hidden`", "`partial`", "test_taped_calls.py"):
        assert name in str(caught[0].message)
    assert "Model" not in str(caught[0].message)  # what has source is differentiated by it


def test_it_is_an_error_if_that_was_asked_for() -> None:
    with pytest.raises(sg.MissingRuleError, match="hidden"):
        sg.grad(program, fallback="error")(X)


def test_a_call_that_writes_into_its_argument_is_refused() -> None:
    def writing(x: Any) -> Any:
        y = x * 2.0
        z = writes(y)
        return np.sum(z * y)

    with pytest.raises(sg.MutationError, match="writes into its argument"):
        sg.grad(writing, fallback="tape")(X)


def test_a_result_without_derivative_gives_zeros() -> None:
    def constant(x: Any) -> Any:
        return np.sum(flat(x) * 2.0) + np.sum(x)

    assert_same(sg.grad(constant, fallback="tape")(X), np.ones(3))


class Box:
    """An object around a value."""

    def __init__(self, inside: Any) -> None:
        self.inside = inside


NAMES["Box"] = Box
alone, pair, table, boxed = (NAMES[name] for name in ("alone", "pair", "table", "boxed"))


def of_one(x: Any) -> Any:
    """Unpack a tuple of one."""
    (y,) = alone(x)
    return np.sum(y * x)


def of_containers(x: Any) -> Any:
    """Read entries of containers that a call returns."""
    both = pair(x)
    return np.sum(both[0] * both[1][0]) + np.sum(table(x)["a"] * alone(x)[0])


@pytest.mark.parametrize("function", [of_one, of_containers])
def test_a_result_in_a_container_has_its_derivative(function: Any) -> None:
    expected = numerical_gradient(function, (X,), 0)
    assert_same(sg.grad(function, fallback="tape")(X), expected)
    assert "on_tape" in sg.grad(function, fallback="tape").source


def test_a_result_that_is_an_object_is_refused() -> None:
    def unboxed(x: Any) -> Any:
        return np.sum(getattr(boxed(x), "inside"))  # noqa: B009 - not seen by the compiler

    with pytest.raises(sg.UnsupportedError):
        sg.grad(unboxed, fallback="error")(X)
