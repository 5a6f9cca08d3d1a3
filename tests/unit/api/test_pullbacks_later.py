"""Checks that pullbacks read classes and modules as they were when the function ran."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import srcgrad as sg

settings = ModuleType("settings_of_a_user")


class Base:
    shared = np.array([1.0, 2.0])


class Held(Base):
    weights = np.array([1.0, 2.0])
    scale = 1.0

    class Inner:
        weights = np.array([1.0, 2.0])

    @classmethod
    def of_class(cls, x: Any) -> Any:
        return np.sum(x**2 * cls.weights)

    def of_object(self, x: Any) -> Any:
        return np.sum(x**2 * Held.weights * self.scale)


def of_attribute(x: Any) -> Any:
    return np.sum(x**2 * Held.weights) * Held.scale


def of_base(x: Any) -> Any:
    return np.sum(x**2 * Held.shared)


def of_inner(x: Any) -> Any:
    return np.sum(x**2 * Held.Inner.weights)


def of_a_name(x: Any) -> Any:
    weights = Held.weights
    return np.sum(x**2 * weights)


def of_module(x: Any) -> Any:
    return np.sum(x**2 * settings.weights)


FUNCTIONS = [of_attribute, of_base, of_inner, of_a_name, of_module, Held.of_class, Held().of_object]


def bind(first: float) -> None:
    for holder, name in ((Held, "weights"), (Base, "shared"), (Held.Inner, "weights")):
        setattr(holder, name, np.array([first, 2.0]))
    settings.weights = np.array([first, 2.0])  # type: ignore[attr-defined]
    Held.scale = first


def write() -> None:
    for array in (Held.weights, Base.shared, Held.Inner.weights, settings.weights):
        array[0] = 10.0


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setitem(sys.modules, settings.__name__, settings)
    bind(1.0)
    yield
    bind(1.0)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("change", [write, lambda: bind(10.0)], ids=["written", "bound"])
def test_a_pullback_reads_what_was_there(
    function: Callable[..., Any], change: Callable[[], None]
) -> None:
    x = np.array([1.0, 2.0])
    _, pull = sg.vjp(function, x)
    change()
    np.testing.assert_array_equal(pull(1.0)[0], [2.0, 8.0])
    _, pull = sg.vjp(function, x)
    np.testing.assert_array_equal(pull(1.0)[0], sg.grad(function, backend="tape")(x))
