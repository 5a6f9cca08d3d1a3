"""Checks that methods that call other methods, and objects that are held, go by source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from tests.differences import assert_same, numerical_gradient

X, ALONG = np.array([0.4, -1.2]), np.array([1.0, 0.5])


class Layer:
    def __init__(self, weight: float) -> None:
        self.weights = np.array([weight, -0.3])
        self.bias = 0.1

    def act(self, z: Any) -> Any:
        return np.tanh(z)

    def hidden(self, x: Any) -> Any:
        return self.act(x * self.weights + self.bias)

    def squares(self, x: Any) -> Any:
        return self.hidden(x) ** 2

    def loss(self, x: Any) -> Any:
        return np.sum(self.squares(x))


class Steep(Layer):
    def act(self, z: Any) -> Any:
        return np.sinh(z)


@dataclass
class Model:
    first: Layer
    scale: float

    def predict(self, x: Any) -> Any:
        return self.scale * self.first.hidden(x)


def loss_of(model: Any, x: Any) -> Any:
    return np.sum(model.predict(x) ** 2)


OPTIONS: dict[str, Any] = {"fallback": "error"}


@pytest.mark.parametrize("layer", [Layer(0.5), Layer(1.5), Steep(0.5)])
def test_methods_go_by_source(layer: Layer) -> None:
    expected = numerical_gradient(layer.loss, (X,), 0)
    assert_same(sg.vjp(layer.loss, X, **OPTIONS)[1](1.0)[0], expected)
    assert_same(sg.jvp(layer.loss, (X,), (ALONG,), **OPTIONS)[1], np.sum(expected * ALONG))
    assert_same(sg.jacobian(layer.squares, **OPTIONS)(X), np.diag(expected))
    assert_same(sg.jacfwd(layer.squares, **OPTIONS)(X), np.diag(expected))
    assert_same(sg.pullback(layer.loss, **OPTIONS)(X)[1](1.0), expected)
    hessian = sg.hessian(layer.loss, **OPTIONS)(X)
    assert_same(hessian @ ALONG, sg.hvp(layer.loss, (X,), (ALONG,), **OPTIONS))


def test_the_text_follows_the_object() -> None:
    layer = Layer(0.5)
    derivative = sg.jacobian(layer.squares, **OPTIONS)
    before = derivative(X)
    layer.weights = np.array([2.0, 1.0])
    assert_same(derivative(X), np.diag(numerical_gradient(layer.loss, (X,), 0)))
    assert not np.allclose(before, derivative(X))
    layer.__class__ = Steep
    assert_same(derivative(X), np.diag(numerical_gradient(layer.loss, (X,), 0)))


def test_objects_that_are_held_go_by_source() -> None:
    for layer in (Layer(0.5), Steep(0.7)):
        model = Model(layer, 1.3)

        def at_model(x: Any, model: Any = model) -> Any:
            return loss_of(model, x)

        expected = numerical_gradient(at_model, (X,), 0)
        found = sg.jvp(loss_of, (model, X), (None, ALONG), **OPTIONS)[1]
        assert_same(found, np.sum(expected * ALONG))
        assert_same(sg.jacobian(loss_of, 1, **OPTIONS)(model, X), expected)
        assert_same(sg.vjp(at_model, X, **OPTIONS)[1](1.0)[0], expected)


def test_the_text_of_a_method_can_be_read() -> None:
    assert "tanh" in sg.pullback(Layer(0.5).loss).source
    assert "sinh" in sg.jacfwd(Steep(0.5).squares).source
