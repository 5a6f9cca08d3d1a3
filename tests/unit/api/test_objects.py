"""Gradients with respect to objects, of methods, and for the functions and objects of a call."""

from __future__ import annotations

import dataclasses
from collections import namedtuple
from typing import Any

import numpy as np
import pytest

import srcgrad as sg

X = np.array([0.5, -1.2, 2.0])


@dataclasses.dataclass
class Spring:
    """A spring."""

    stiffness: float
    rest: float
    name: str = "spring"

    def energy(self, x: Any) -> Any:
        """Return the energy."""
        return 0.5 * self.stiffness * np.sum((x - self.rest) ** 2)

    @property
    def ratio(self) -> float:
        """Return a ratio."""
        return self.stiffness / self.rest


@dataclasses.dataclass(frozen=True)
class System:
    """Two springs and a vector."""

    first: Spring
    second: Spring
    weights: np.ndarray

    def loss(self, x: Any) -> Any:
        """Return a number."""
        return self.first.energy(x * self.weights) + self.second.ratio * self.first.rest


class Plain:
    """A class without a decorator."""

    offset = 0.5

    def __init__(self, w: Any, act: Any) -> None:
        self.w = w
        self.act = act
        self.unused = np.ones(2)

    def loss(self, x: Any) -> Any:
        """Return a number."""
        return np.sum(self.act(self.w * x)) + self.offset

    @sg.grad
    def slope(self, x: Any) -> Any:
        """Be differentiated with respect to the first argument after self."""
        return np.sum(self.act(self.w * x)) * self.gain()

    def gain(self) -> float:
        """Return a factor."""
        return 2.0


Pair = namedtuple("Pair", ["a", "b"])


def of_spring(spring: Spring, x: Any) -> Any:
    return spring.energy(x) * spring.ratio + spring.stiffness


def of_system(system: System, x: Any) -> Any:
    return system.loss(x) + np.sum(system.weights)


def of_plain(model: Plain, x: Any) -> Any:
    return model.loss(x)


def of_pair(pair: Any, x: Any) -> Any:
    return np.sum(pair.a * x) * pair.b


def differences(f: Any, value: float) -> float:
    h = 1e-5
    return (f(value + h) - f(value - h)) / (2 * h)


@pytest.mark.parametrize("fallback", ["error", "tape"])
def test_the_gradient_of_a_dataclass_is_one(fallback: Any) -> None:
    function = of_spring if fallback == "error" else _by_tape(of_spring)
    spring = Spring(2.0, 0.5)
    grad = sg.grad(function, fallback=fallback)(spring, X)
    assert type(grad) is Spring
    assert grad.name is None
    replaced = dataclasses.replace
    for name in ("stiffness", "rest"):
        expected = differences(
            lambda v, n=name: of_spring(replaced(spring, **{n: v}), X), getattr(spring, name)
        )
        np.testing.assert_allclose(getattr(grad, name), expected, rtol=1e-6)
    assert spring == Spring(2.0, 0.5)


def _by_tape(function: Any) -> Any:
    namespace: dict[str, Any] = {"function": function}
    exec("def hidden(spring, x):\n    return function(spring, x)", namespace)
    return namespace["hidden"]


def test_nested_objects_and_arrays_in_them() -> None:
    system = System(Spring(2.0, 0.5), Spring(1.5, 0.7), np.array([1.0, 2.0, 0.5]))
    grad = sg.grad(of_system, fallback="error")(system, X)
    assert type(grad) is System
    assert type(grad.first) is Spring
    assert grad.weights.shape == (3,)
    h = 1e-5
    for owner, name in (("first", "stiffness"), ("first", "rest"), ("second", "rest")):
        part = getattr(system, owner)

        def at(v: float, owner: str = owner, name: str = name, part: Any = part) -> Any:
            new = dataclasses.replace(part, **{name: v})
            return of_system(dataclasses.replace(system, **{owner: new}), X)

        expected = differences(at, getattr(part, name))
        np.testing.assert_allclose(getattr(getattr(grad, owner), name), expected, rtol=1e-6)
    for i in range(3):
        step = np.zeros(3)
        step[i] = h
        up, down = (
            of_system(dataclasses.replace(system, weights=system.weights + s), X)
            for s in (step, -step)
        )
        np.testing.assert_allclose(grad.weights[i], (up - down) / (2 * h), rtol=1e-6)


def test_a_plain_object_and_a_named_tuple() -> None:
    model = Plain(X, np.tanh)
    grad = sg.grad(of_plain, fallback="error")(model, X)
    assert type(grad) is Plain
    np.testing.assert_allclose(grad.w, X * (1 - np.tanh(X * X) ** 2))
    np.testing.assert_array_equal(grad.unused, np.zeros(2))
    assert grad.act is None
    pair = sg.grad(of_pair, fallback="error")(Pair(X, 2.0), X)
    assert type(pair) is Pair
    np.testing.assert_allclose(pair.a, 2.0 * X)
    np.testing.assert_allclose(pair.b, np.sum(X * X))


def test_methods_are_differentiated_with_self_as_it_is() -> None:
    model = Plain(2.0, np.sin)
    np.testing.assert_allclose(sg.grad(model.loss, fallback="error")(X), 2.0 * np.cos(2.0 * X))
    np.testing.assert_allclose(model.slope(X), 4.0 * np.cos(2.0 * X))
    model.w = 3.0
    np.testing.assert_allclose(model.slope(X), 6.0 * np.cos(3.0 * X))
    other = Plain(1.0, np.exp)
    np.testing.assert_allclose(other.slope(X), 2.0 * np.exp(X))
    np.testing.assert_allclose(model.slope(X), 6.0 * np.cos(3.0 * X))
    assert "np.cos" in type(model).slope.__get__(model).source


def test_attributes_methods_and_classes_may_change_between_calls(monkeypatch: Any) -> None:
    model = Plain(2.0, np.sin)
    derivative = sg.grad(model.loss, fallback="error")
    np.testing.assert_allclose(derivative(X), 2.0 * np.cos(2.0 * X))
    model.act = np.exp
    np.testing.assert_allclose(derivative(X), 2.0 * np.exp(2.0 * X))
    model.w = X
    np.testing.assert_allclose(derivative(X), X * np.exp(X * X))
    slope = sg.grad(lambda x: np.sum(x) * model.gain(), fallback="error")
    np.testing.assert_allclose(slope(X), 2.0 * np.ones(3))
    monkeypatch.setattr(Plain, "gain", lambda self: 5.0 * self.offset)
    np.testing.assert_allclose(slope(X), 2.5 * np.ones(3))
    monkeypatch.setattr(Plain, "offset", 3.0)
    np.testing.assert_allclose(slope(X), 15.0 * np.ones(3))
    monkeypatch.setattr(model, "gain", lambda: 1.0, raising=False)
    np.testing.assert_allclose(slope(X), np.ones(3))


def test_a_gradient_serves_arguments_that_are_functions_or_objects_of_other_classes() -> None:
    def applied(x: Any, f: Any, k: float = 2.0) -> Any:
        return np.sum(f(x)) * k

    derivative = sg.grad(applied, fallback="error")
    for _ in range(2):
        np.testing.assert_allclose(derivative(X, np.sin), 2.0 * np.cos(X))
        np.testing.assert_allclose(derivative(X, f=np.exp, k=1.0), np.exp(X))
        np.testing.assert_allclose(derivative(X, lambda v: v * v), 4.0 * X)
        np.testing.assert_allclose(derivative(X, Spring(2.0, 0.0).energy), 4.0 * X)

    class Square:
        def energy(self, x: Any) -> Any:
            return np.sum(x * x)

    by_object = sg.grad(lambda x, model: model.energy(x), fallback="error")
    for _ in range(2):
        np.testing.assert_allclose(by_object(X, Spring(3.0, 0.0)), 3.0 * X)
        np.testing.assert_allclose(by_object(X, Square()), 2.0 * X)


def test_an_object_after_a_number_is_not_taken_for_one() -> None:
    class Dual:
        def __init__(self, v: float) -> None:
            self.v = v

        def __mul__(self, other: Any) -> Any:
            return Dual(self.v * other.v) if isinstance(other, Dual) else Dual(self.v * other)

    derivative = sg.grad(lambda p: (p * p).v if isinstance(p, Dual) else p * p, fallback="tape")
    assert derivative(3.0) == 6.0
    grad = derivative(Dual(3.0))
    assert type(grad) is Dual
    np.testing.assert_allclose(grad.v, 6.0)
    assert derivative(4.0) == 8.0


STEPS: list[Any] = [np.sin, np.exp]


def test_lists_of_functions_and_caches_may_change(monkeypatch: Any) -> None:
    def program(x: Any) -> Any:
        for f in STEPS:
            x = f(x)
        return np.sum(x)

    derivative = sg.grad(program, fallback="error")
    np.testing.assert_allclose(derivative(X), np.exp(np.sin(X)) * np.cos(X))
    STEPS[1] = np.square
    np.testing.assert_allclose(derivative(X), 2.0 * np.sin(X) * np.cos(X))
    STEPS.pop()
    np.testing.assert_allclose(derivative(X), np.cos(X))
    STEPS.append(np.exp)


def test_parameters_may_be_called_as_what_text_needs() -> None:
    def program(np_, zeros_like, copied=2.0, *, unbroadcast=1.0):  # type: ignore[no-untyped-def]
        return np.sum(np_ * zeros_like) * copied * unbroadcast

    derivative = sg.grad(program, (0, 1), fallback="error")
    a, b = derivative(X, 2.0 * X, unbroadcast=3.0)
    np.testing.assert_allclose(a, 12.0 * X)
    np.testing.assert_allclose(b, 6.0 * X)
    a, b = derivative(np_=X, zeros_like=2.0 * X, copied=1.0)
    np.testing.assert_allclose(a, 2.0 * X)


def test_defaults_that_are_functions_may_be_replaced() -> None:
    def program(x: Any, f: Any = np.sin, *, g: Any = np.square) -> Any:
        return np.sum(g(f(x)))

    derivative = sg.grad(program, fallback="error")
    np.testing.assert_allclose(derivative(X), 2.0 * np.sin(X) * np.cos(X))
    program.__defaults__ = (np.exp,)
    np.testing.assert_allclose(derivative(X), 2.0 * np.exp(2.0 * X))
    program.__kwdefaults__ = {"g": np.sin}
    np.testing.assert_allclose(derivative(X), np.cos(np.exp(X)) * np.exp(X))
    np.testing.assert_allclose(derivative(X, np.cos), -np.cos(np.cos(X)) * np.sin(X))


def test_fields_have_the_methods_of_arrays() -> None:
    def program(p: Plain) -> Any:
        return p.w.mean() * p.w.T.sum() + p.w.dot(p.act(p.w))

    gradient = sg.grad(program, fallback="error")(Plain(X * 1.0, np.sin))
    expected = 2.0 * np.sum(X) / X.size + np.sin(X) + X * np.cos(X)
    np.testing.assert_allclose(gradient.w, expected)
