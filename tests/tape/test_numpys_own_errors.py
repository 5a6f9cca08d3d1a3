"""Checks that values on the tape raise what NumPy's raise, which a function may catch."""

from __future__ import annotations

import copy
import functools
import operator
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from tests.differences import assert_same, numerical_gradient

X = np.array([0.7, 1.3, -0.4, 2.1])


def stored_in_a_number(x: Any) -> None:
    x[0][...] = 3.0


def asked_for_its_truth(x: Any) -> None:
    bool(x)


def asked_for_its_truth_without_elements(x: Any) -> None:
    bool(x[:0])


def counted_without_axes(x: Any) -> None:
    len(x[0])


def repeated_over_without_axes(x: Any) -> None:
    iter(np.array(x[0]))


def made_whole(x: Any) -> None:
    int(x)


def taken_out(x: Any) -> None:
    x.item()


def a_constant_taken_out(x: Any) -> None:
    np.ones_like(x).item()


def written_as_a_number(x: Any) -> None:
    format(x, ".3f")


def never_copied(x: Any) -> None:
    np.array(x, dtype=np.float32, copy=False)


ASKED = (
    stored_in_a_number,
    asked_for_its_truth,
    asked_for_its_truth_without_elements,
    counted_without_axes,
    repeated_over_without_axes,
    made_whole,
    taken_out,
    a_constant_taken_out,
    written_as_a_number,
    never_copied,
)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("ask", ASKED, ids=lambda ask: ask.__name__)
def test_what_numpy_raises_is_raised(ask: Callable[[Any], None]) -> None:
    said: list[tuple[type, str]] = []

    def asked(x: Any) -> Any:
        try:
            ask(x)
        except (TypeError, ValueError) as error:
            said.append((type(error), str(error)))
        return np.sum(x * x) + 0 * eval("x[0]")

    asked(X)
    assert_same(sg.grad(asked, fallback="tape")(X.copy()), 2 * X)
    assert len(said) >= 2
    assert {item == said[0] for item in said} == {True}


def test_a_copy_of_another_order_is_none_of_the_memory() -> None:
    def ordered(x: Any) -> Any:
        y = x.reshape(2, 2) * 1
        z = y.astype(float, order="F", copy=False)
        z[0, 0] = x[1]
        w = y.astype(float, order="C", copy=False)
        w[1, 1] = x[0]
        return np.sum(y * y) + 0 * eval("x[0]")

    expected = numerical_gradient(ordered, (X.copy(),), 0)
    assert_same(sg.grad(ordered, fallback="tape")(X.copy()), expected)


class Owner:
    held: Any = None
    __slots__ = ("kept",)


def _field(held: Any) -> Any:
    return SimpleNamespace(h=held).h.__setitem__


def _function(held: Any) -> Any:
    def put(place: int, value: Any, into: Any = held) -> None:
        into[place] = value

    return put


def _around(held: Any) -> Any:
    def put(place: int, value: Any) -> None:
        held[place] = value

    return put


def _slot(held: Any) -> Any:
    owner = Owner()
    owner.kept = held
    return lambda place, value: operator.setitem(owner.kept, place, value)


def _class(held: Any) -> Any:
    kind = type("Kind", (type("Base", (), {"held": held, "__module__": __name__}),), {})
    kind.__module__ = __name__
    return lambda place, value: operator.setitem(kind.held, place, value)


def _entry(held: Any) -> Any:
    table = {"a": ([held],)}
    return lambda place, value: operator.setitem(table["a"][0][0], place, value)


def _partial(held: Any) -> Any:
    return functools.partial(held.__setitem__)


WAYS = (_field, _function, _around, _slot, _class, _entry, _partial)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_a_list_that_is_also_held_elsewhere_is_one_list(way: Callable[[Any], Any]) -> None:
    shared = [1.0]
    put = way(shared)

    def read_back(x: Any, held: Any = shared) -> Any:
        y = x[0] * 2 + 0 * eval("x[0]")
        put(0, y)
        return y * held[-1]

    if way in (_partial, _field):  # where no other list can be put
        with pytest.raises(sg.MutationError, match="another name"):
            sg.grad(read_back, fallback="tape")(X.copy())
    else:
        expected = 8 * X[0] * np.eye(len(X))[0]
        np.testing.assert_allclose(sg.grad(read_back, fallback="tape")(X.copy()), expected)
    assert type(shared[0]) in (float, np.float64)


@pytest.mark.filterwarnings("ignore")
def test_a_list_that_a_default_alone_holds_is_changed() -> None:
    def counted(x: Any, held: Any = [0.0]) -> Any:  # noqa: B006 - it is what is tried
        held[0] = x[0] * x[1]
        return held[0] * x[2] + 0 * eval("x[0]")

    expected = numerical_gradient(copy.copy(counted), (X.copy(),), 0)
    assert_same(sg.grad(counted, fallback="tape")(X.copy()), expected)
