"""The programs with a rare turn, by source and in forward mode, against differences."""

from __future__ import annotations

import copy
import inspect
import warnings
from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from tests.unit.transforms.rare_programs import PROGRAMS, REFUSED

GIVEN: dict[str, Any] = {
    "x": np.array([0.5, 1.2, 0.0, 2.0, 0.7, 1.1]),
    "y": np.array([0.9, 0.3, 1.4, 0.6, 1.0, 0.2]),
    "m": np.array([[0.5, 1.2, 0.0], [2.0, 0.7, 1.1]]),
    "s": 0.8,
    "n": 3,
    "k": 2,
    "w": np.array([1.0, 2, 3, 4, 5, 6]),
    "ints": np.array([1, 2, 3]),
}
VARYING = {"x", "y", "m", "s"}
WITHOUT_SOURCE = eval("lambda a, b: a * b + a")


class Run:
    """A program with its arguments, and what its derivatives have to be."""

    def __init__(self, function: Any) -> None:
        self.function = function
        names = list(inspect.signature(function).parameters)
        self.args = [GIVEN[name] for name in names]
        self.active = tuple(i for i, name in enumerate(names) if name in VARYING)

    def fresh(self) -> list[Any]:
        return copy.deepcopy(self.args)

    def slope(self, ways: list[Any]) -> float:
        """Return the derivative along a direction by differences."""

        def at(step: float) -> float:
            args = self.fresh()
            for place, way in zip(self.active, ways, strict=True):
                args[place] = args[place] + step * way
            return float(self.function(*args))

        size = 2e-4
        return (8 * (at(size) - at(-size)) - (at(2 * size) - at(-2 * size))) / (12 * size)

    def ways(self) -> list[Any]:
        """Return a direction in which zeros stay zeros."""
        rng = np.random.default_rng(2)
        found = []
        for place in self.active:
            way = rng.uniform(0.5, 1.5, np.shape(self.args[place])) * (self.args[place] != 0)
            found.append(way if np.ndim(way) else float(way))
        return found

    def tangents(self, ways: list[Any]) -> tuple[Any, ...]:
        given: list[Any] = [None] * len(self.args)
        for place, way in zip(self.active, ways, strict=True):
            given[place] = way
        return tuple(given)


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_the_gradient_by_source_agrees_with_differences(function: Any) -> None:
    run = Run(function)
    with np.errstate(all="ignore"):
        grads = sg.grad(function, run.active, fallback="error")(*run.fresh())
    ways = run.ways()
    pairs = zip(grads, ways, strict=True)
    found = sum(np.sum(np.where(way == 0, 0.0, grad) * way) for grad, way in pairs)
    np.testing.assert_allclose(found, run.slope(ways), rtol=1e-6, atol=1e-8)


PUSHED = [f for f in PROGRAMS if f.__name__ != "times_truths"]  # zero times infinity is no number


@pytest.mark.parametrize("function", PUSHED, ids=lambda f: f.__name__)
def test_the_tangent_agrees_with_differences(function: Any) -> None:
    run = Run(function)
    ways = run.ways()
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("error", sg.FallbackWarning)
        _, tangent = sg.jvp(function, tuple(run.fresh()), run.tangents(ways))
    np.testing.assert_allclose(tangent, run.slope(ways), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_differentiated_is_refused_by_name(name: str) -> None:
    sentence, function = REFUSED[name]
    run = Run(function)
    with pytest.raises(sg.SrcgradError) as caught:
        sg.grad(function, run.active, fallback="error")(*run.fresh())
    assert str(caught.value).splitlines()[0] == sentence


def on_the_tape(x, y):
    return np.sum(WITHOUT_SOURCE(x, y * 2)) * WITHOUT_SOURCE(x[0], x[1])


@pytest.mark.filterwarnings("ignore::srcgrad.FallbackWarning")
def test_a_function_without_source_is_run_on_the_tape() -> None:
    run = Run(on_the_tape)
    grads, ways = sg.grad(on_the_tape, run.active)(*run.fresh()), run.ways()
    found = sum(np.sum(grad * way) for grad, way in zip(grads, ways, strict=True))
    np.testing.assert_allclose(found, run.slope(ways), rtol=1e-8)
