"""Functions of users' that Numba compiles, where a function that is differentiated calls them."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import srcgrad as sg

numba = pytest.importorskip("numba", reason="needs Numba")

SCALE = 1.5


@numba.njit
def _inner(a: Any, b: Any) -> Any:
    return math.sin(a) * b * SCALE


@numba.njit
def _pair(a: Any, b: Any) -> Any:
    return _inner(a, b), a + b


@numba.njit
def _energy(x: Any, power: Any = 2) -> Any:
    total = 0.0
    for i in range(len(x)):
        if x[i] > 0.0:
            total += x[i] ** power
        else:
            total -= x[i]
    return total


@numba.njit
def _filled(x: Any, room: Any) -> None:
    for i in range(len(x)):
        room[i] = x[i] * x[i]


@numba.njit
def _weights(n: Any) -> Any:
    return np.arange(n) * 0.5


class Model:
    """A model that has compiled functions among its members."""

    @staticmethod
    @numba.njit
    def squares(x: Any) -> Any:
        return np.sum(x * x)

    def loss(self, x: Any) -> Any:
        return self.squares(x) * x[0]


@numba.vectorize
def _bent(a: Any, b: Any) -> Any:
    if a > 0.0:
        return math.exp(a) * b
    bent = 2.0 * a
    return bent * b


@numba.vectorize
def _waved(a: Any) -> Any:
    return math.sin(a) + a


def _of_elements(x: Any) -> Any:
    return np.sum(_bent(x, 1.5) * _waved(x)) + _bent(x[0], x[1]) * _waved(x[2])


MODEL = Model()
TABLE = {"inner": _inner}


def _of_a_member(x: Any) -> Any:
    return MODEL.loss(x) + Model.squares(np.cos(x))


def _handed_over(x: Any) -> Any:
    return _twice(_inner, x) + functools.partial(_inner, b=x[1])(x[0])


def _twice(function: Callable[..., Any], x: Any) -> Any:
    return function(x[0], x[1]) * TABLE["inner"](x[2], 1.5)


def _of_a_number(x: Any) -> Any:
    return _inner(x[0], 2.0) + math.exp(x[1])


def _of_several_results(x: Any) -> Any:
    first, second = _pair(x[0], b=x[1])
    return first * second


def _of_a_loop(x: Any) -> Any:
    return _energy(x) * _energy(x, power=3)


def _of_a_writer(x: Any) -> Any:
    room = np.zeros(3)
    _filled(x, room)
    return np.sum(room * x)


def _of_constants(x: Any) -> Any:
    return np.sum(_weights(3) * x * x)


class _Holder:
    factor = 2.0

    @numba.jit(forceobj=True)
    def scaled(self, x: Any) -> Any:
        return np.sum(x * x) * self.factor

    @numba.njit
    def cubes(x: Any) -> Any:  # noqa: N805 - called of the class
        return np.sum(x * x * x)

    @staticmethod
    @numba.njit
    def squares(x: Any) -> Any:
        return np.sum(x * x)


_HOLDER = _Holder()


def _of_a_class(x: Any) -> Any:
    held = _HOLDER.squares(x) + _Holder.squares(2.0 * x) + len(_Holder.cubes.py_func.__name__)
    return held * _Holder.cubes(x)


def _of_an_object(x: Any) -> Any:
    return _HOLDER.scaled(x) * _Holder.scaled(_HOLDER, x)


X = np.array([0.3, -0.4, 0.7])
FUNCTIONS = [
    _of_a_number,
    _of_several_results,
    _of_a_loop,
    _of_a_writer,
    _of_constants,
    _of_a_member,
    _handed_over,
    _of_elements,
]


def _differences(function: Callable[..., Any]) -> Any:
    steps = 1e-6 * np.eye(3)
    return np.array([(function(X + h) - function(X - h)) / 2e-6 for h in steps])


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_helpers_are_differentiated_from_their_source(function: Callable[..., Any]) -> None:
    gradient = sg.grad(function, fallback="error")
    np.testing.assert_allclose(gradient(X), _differences(function), rtol=1e-6, atol=1e-8)
    _, tangent = sg.jvp(function, (X,), (np.ones(3),), fallback="error")
    np.testing.assert_allclose(tangent, np.sum(_differences(function)), rtol=1e-6)


@pytest.mark.parametrize(
    "function", [*FUNCTIONS, _of_a_class, _of_an_object], ids=lambda f: f.__name__
)
def test_the_tape_runs_them_as_python_does(function: Callable[..., Any]) -> None:
    gradient = sg.grad(function, backend="tape")
    np.testing.assert_allclose(gradient(X), _differences(function), rtol=1e-6, atol=1e-8)


def _of_elements_into(x: Any) -> Any:
    room = np.zeros(3)
    _kept(np.ones(3), 2.0, out=room)
    return np.sum(room * x)


def test_elements_may_be_put_into_an_array() -> None:
    gradient = sg.grad(_of_elements_into, backend="tape")
    np.testing.assert_allclose(gradient(X), _differences(_of_elements_into), rtol=1e-6)


@numba.vectorize
def _kept(a: Any, b: Any) -> Any:
    return a * b if a > 0.5 else b


def test_a_helper_that_is_bound_anew_is_read_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    gradient = sg.grad(_of_a_number, fallback="error")
    before = gradient(X)
    monkeypatch.setitem(globals(), "_inner", numba.njit(lambda a, b: a * b))
    np.testing.assert_allclose(gradient(X), _differences(_of_a_number), rtol=1e-6)
    assert before[0] != gradient(X)[0]
