"""Tests of what calls are given besides values with derivatives: settings, objects, numbers."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import srcgrad as sg

OPTIONS = {"rate": 2.0, "white": np.array([1.0, 2.0, 0.5])}
X = np.array([1.2, -2.0, 0.3])


class Space:
    def __init__(self, matrix: Any, encode: Any = None) -> None:
        self.matrix, self._encode = matrix, encode

    @property
    def encode(self) -> Any:
        return self._encode


def product(m, x, times=1):
    y = np.zeros(len(m))
    for _ in range(times):
        y = y + np.einsum("ij,j->i", m, x) if m.ndim > 1 else y + m * x
    return y


def updated(x, space):
    matrix = space.matrix
    y = product(matrix, x, 2)
    y *= 1.5
    return np.sum(y * x)


def encoded(x, space):
    if not isinstance(space, (Space, str)):
        return np.sum(x * space)
    encode = space.encode
    return np.sum(x if encode is None else encode(x * x))


def weighed(x, rate=1.0, white=1.0):
    return np.sum(x * white) * rate


def by_settings(x):
    settings = OPTIONS.copy()
    settings["rate"] = 4.0
    return weighed(x * x, **settings) + weighed(x, **OPTIONS)


def filled(h):
    h = np.asarray(h, np.float64)
    h[np.isnan(h)] = 0.0
    h[h > 1.0] *= 2.0
    return np.sum(h * h)


def test_an_update_of_what_a_helper_makes_is_none_of_its_operands() -> None:
    space = Space(np.arange(9.0).reshape(3, 3))
    found = sg.grad(updated, fallback="error")(X, space)
    np.testing.assert_allclose(found, 3.0 * (space.matrix + space.matrix.T) @ X)


def test_a_text_is_for_the_function_that_a_property_gave() -> None:
    gradient = sg.grad(encoded, fallback="error")
    space = Space(np.eye(3), np.sin)
    np.testing.assert_allclose(gradient(X, space), np.cos(X * X) * 2.0 * X)
    space._encode = np.exp
    np.testing.assert_allclose(gradient(X, space), np.exp(X * X) * 2.0 * X)
    np.testing.assert_allclose(gradient(X, 2.0), 2.0 * np.ones(3))
    space._encode = None
    np.testing.assert_allclose(sg.grad(encoded, fallback="tape")(X, space), np.ones(3))


def test_settings_are_read_at_each_call(monkeypatch) -> None:
    gradient = sg.grad(by_settings, fallback="error")
    np.testing.assert_allclose(gradient(X), (8.0 * X + 2.0) * OPTIONS["white"])
    monkeypatch.setitem(OPTIONS, "rate", 5.0)
    np.testing.assert_allclose(gradient(X), (8.0 * X + 5.0) * OPTIONS["white"])
    monkeypatch.delitem(OPTIONS, "white")
    np.testing.assert_allclose(gradient(X), 8.0 * X + 5.0)


@pytest.mark.parametrize("value", [0.5, 3.0])
def test_an_array_that_a_pullback_makes_of_a_number_is_written(value: float) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        out, pull = sg.pullback(filled, fallback="error")(value)
    scale = 2.0 if value > 1.0 else 1.0
    assert out == (scale * value) ** 2
    assert pull(1.0) == pytest.approx(2.0 * scale * scale * value)
