"""Functions that leave something behind, where a derivative has to run them once more."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import srcgrad as sg

pytestmark = pytest.mark.filterwarnings("ignore:.*divide:RuntimeWarning")

X = np.array([0.3, 1.2, 2.5])
LOG: list[float] = []
ROOM = np.ones(3)
DRAWN = np.random.default_rng(5)


class Counter:
    """An object that counts how often it was asked."""

    def __init__(self) -> None:
        self.factor = 1.0
        self.drawn = np.random.default_rng(5)

    def asked(self, x: Any) -> Any:
        self.factor = self.factor * 2.0
        return _steep(x) * self.factor


COUNTER = Counter()


def _summed(values: Any, n: int) -> Any:
    total = 0.0
    for i in range(1, n):
        total = total + values[i]
    return total


def _steep(x: Any) -> Any:
    """Leave out the first root, which is steep, so that the text gives NaN."""
    return _summed(np.sqrt(np.abs(np.linspace(0.0, 1.0, 3) * x[0])), 3)


def _of_an_object(x: Any) -> Any:
    return COUNTER.asked(x)


def _of_an_argument(x: Any, counter: Counter = COUNTER) -> Any:
    return counter.asked(x)


def _of_an_array(x: Any) -> Any:
    ROOM[:] = ROOM * 2.0
    return _steep(x) * ROOM[0]


def _of_a_list(x: Any) -> Any:
    LOG.append(float(x[0]))
    return _steep(x) * len(LOG)


def _of_a_generator(x: Any) -> Any:
    return _steep(x) * DRAWN.normal()


def _of_the_generator(x: Any) -> Any:
    return _steep(x) * np.random.normal()  # noqa: NPY002 - what users write


def _equal_values(x: Any) -> Any:
    COUNTER.factor = COUNTER.factor * 2.0
    values, _ = np.linalg.eigh(np.diag(np.array([x[0], x[0], x[1]])))
    return np.sum(values**3) * COUNTER.factor


FUNCTIONS: list[Callable[..., Any]] = [
    *(_of_an_object, _of_an_argument, _of_an_array, _of_a_list, _of_a_generator),
    *(_of_the_generator, _equal_values, COUNTER.asked),
]


def _begin() -> None:
    COUNTER.factor = 1.0
    LOG.clear()
    ROOM[:] = 1.0
    DRAWN.bit_generator.state = np.random.default_rng(5).bit_generator.state
    np.random.seed(5)  # noqa: NPY002 - what users write


def _left() -> Any:
    state = np.random.get_state()[1]  # noqa: NPY002 - what users write
    drawn = copy.deepcopy(DRAWN.bit_generator.state)
    return COUNTER.factor, tuple(LOG), tuple(ROOM), repr(drawn), np.asarray(state).tobytes()


def _grad(function: Callable[..., Any]) -> Any:
    return sg.grad(function, fallback="error")(X)


def _value_and_grad(function: Callable[..., Any]) -> Any:
    return sg.value_and_grad(function, fallback="error")(X)[1]


def _pullback(function: Callable[..., Any]) -> Any:
    return sg.pullback(function, fallback="error")(X)[1](1.0)


def _jacobian(function: Callable[..., Any]) -> Any:
    return sg.jacobian(function, fallback="error")(X)


def _differences(function: Callable[..., Any]) -> Any:
    found = []
    for step in 1e-6 * np.eye(3):
        _begin()
        ahead = function(X + step)
        _begin()
        found.append((ahead - function(X - step)) / 2e-6)
    return np.array(found)


@pytest.mark.parametrize("ask", [_grad, _value_and_grad, _pullback, _jacobian])
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_what_runs_once_more_begins_and_ends_as_once(
    function: Callable[..., Any], ask: Callable[..., Any]
) -> None:
    _begin()
    function(X)
    after = _left()
    expected = _differences(function)
    for _ in range(4):  # a repeated call may go another way
        _begin()
        np.testing.assert_allclose(ask(function), expected, rtol=1e-6, atol=1e-8)
        if ask is not _jacobian or not hasattr(function, "__self__"):  # it leaves arguments alone
            assert _left() == after


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_tangents_run_a_function_as_once(function: Callable[..., Any]) -> None:
    _begin()
    expected = function(X)
    after = _left()
    slope = np.sum(_differences(function))
    _begin()
    value, tangent = sg.jvp(function, (X,), (np.ones(3),), fallback="tape")
    assert value == expected
    if function is _equal_values:  # NaN beside a selection is asked of no tape in forward mode
        np.testing.assert_allclose(tangent, slope, rtol=1e-6)
    assert _left() == after


@pytest.mark.parametrize("function", [_of_an_object, _of_an_array, _of_a_list])
def test_second_derivatives_run_a_function_as_once(function: Callable[..., Any]) -> None:
    _begin()
    function(X)
    after = _left()
    expected = -0.5 * _differences(function)[0] / X[0]
    _begin()
    _, back = sg.vjp(sg.grad(function), X)
    (found,) = back(np.ones(3))
    np.testing.assert_allclose(found[0], expected, rtol=1e-5)
    assert _left() == after


def test_what_is_printed_is_printed_once(capsys: pytest.CaptureFixture[str]) -> None:
    def telling(x: Any) -> Any:
        print("asked")
        return _steep(x)

    sg.grad(telling, fallback="error")(X)
    capsys.readouterr()
    assert np.isfinite(sg.grad(telling, fallback="error")(X)).all()
    assert capsys.readouterr().out == "asked\n"
