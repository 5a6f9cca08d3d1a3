"""Methods of the user's objects that are named as those of arrays, however these are reached."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import srcgrad as sg


class Model:
    """An object whose methods are named as those of arrays."""

    weight = 2.0

    def mean(self, a, scale=3.0):
        return np.mean(a) * scale

    def sum(self, a):
        return np.sum(a * a)


MODEL = Model()
BY_NAME = {"a": MODEL, "b": Model()}
LISTED = [MODEL, Model()]
CHANGED = Model()


class Holder:
    """A class that holds an object, and a list with one."""

    model = MODEL
    models = (MODEL,)
    changed = CHANGED


class Space:
    """Functions that are made by a class method, of what the class holds."""

    model = MODEL

    @classmethod
    def function(cls, name):
        def called(*args, **kwargs):
            return getattr(cls.model, name)(*args, **kwargs)

        return called


mean = Space.function("mean")


def of_a_class(x):
    return Holder.model.mean(x) * Holder.model.weight


def by_a_name_that_is_known(x):
    return getattr(Holder.model, "mean")(x) + mean(x, scale=2.0)  # noqa: B009


def of_a_tuple_of_a_class(x):
    return Holder.models[0].mean(x)


def by_key(x, key="a"):
    return BY_NAME[key].mean(x)


def by_place(x, place=1):
    return LISTED[place].mean(x) * LISTED[place].sum(x)


def in_a_loop(x):
    total = 0.0
    for model in LISTED:
        total = total + model.mean(x)
    return total


def the_best_of_some(x):
    best = None
    for model in LISTED:
        if best is None or model.weight > best.weight:
            best = model
    return best.mean(x)


def whose_field_is_set(x):
    Holder.changed.weight = x[0]
    return Holder.changed.mean(x) * Holder.changed.weight


PROGRAMS = [
    *(of_a_class, by_a_name_that_is_known, of_a_tuple_of_a_class, by_key, by_place, in_a_loop),
    *(the_best_of_some, whose_field_is_set),
]


@pytest.mark.filterwarnings("ignore::srcgrad.FallbackWarning")
@pytest.mark.parametrize("engine", ["warn", "tape"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_gradients_agree_with_differences(
    program: Any, engine: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SRCGRAD_PROVE", "0")
    x = np.array([0.3, 0.5, 0.2])
    steps = 1e-6 * np.eye(3)
    wanted = [(program(x + h) - program(x - h)) / 2e-6 for h in steps]
    np.testing.assert_allclose(sg.grad(program, fallback=engine)(x), wanted, rtol=1e-6)


@pytest.mark.parametrize("program", [of_a_class, by_a_name_that_is_known, in_a_loop, mean])
def test_these_go_by_source(program: Any) -> None:
    x = np.array([0.3, 0.5, 0.2])
    assert np.all(sg.grad(program, fallback="error")(x) > 0)
