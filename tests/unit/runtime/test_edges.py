"""Edges of what generated code calls: other axes, nothing at all, and only one operand active."""

from __future__ import annotations

import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.runtime.joining import join_pieces
from srcgrad.runtime.striding import strided_places
from srcgrad.tape import selection
from tests.differences import numerical_gradient

Y = np.array([[0.3, -1.2, 2.0], [1.1, 0.4, -0.7]])
Z = np.array([[1.3, 0.2, -2.0], [-1.1, 1.4, 0.9]])


def trapezoid_rows(y: Any, x: Any) -> Any:
    return np.sum(np.trapezoid(y, x, axis=1) ** 2)


def trapezoid_last(y: Any, x: Any) -> Any:
    return np.sum(np.trapezoid(y, x) ** 2)


def trapezoid_columns(y: Any, x: Any) -> Any:
    return np.sum(np.trapezoid(y, x[:2], axis=0) ** 2)


def trapezoid_of_both(y: Any, x: Any) -> Any:
    return np.sum(np.trapezoid(y, np.outer(x[:2], x), axis=0) ** 2)


def trapezoid_of_many(y: Any, x: Any) -> Any:
    return np.sum(np.trapezoid(y[0], x * y + np.arange(3.0)) ** 2)


def trapezoid_by_distance(y: Any, x: Any) -> Any:
    return np.sum(np.trapezoid(y, dx=x[0], axis=0) ** 3)


@pytest.mark.parametrize("backend", ["auto", "tape"])
@pytest.mark.parametrize(
    "f",
    [
        *(trapezoid_rows, trapezoid_last, trapezoid_columns),
        *(trapezoid_of_both, trapezoid_of_many, trapezoid_by_distance),
    ],
)
def test_sums_of_trapezoids_along_each_axis(f: Callable[..., Any], backend: Any) -> None:
    given = (Y, np.array([0.5, 0.7, 1.9]))
    found = sg.grad(f, argnums=(0, 1), backend=backend, fallback="error")(*given)
    for number in range(2):
        expected = numerical_gradient(f, given, number)
        np.testing.assert_allclose(found[number], expected, rtol=1e-6, atol=1e-8)


PAIRS = {
    "math.pow": (math.pow, 1.7, 2.3),
    "math.atan2": (math.atan2, 1.7, 2.3),
    "math.hypot": (math.hypot, 1.7, 2.3),
    "math.fmod": (math.fmod, 5.7, 2.3),
    "fmax": (np.fmax, 1.7, 2.3),
    "fmin": (np.fmin, 1.7, 2.3),
    "maximum": (np.maximum, 2.7, 2.3),
    "minimum": (np.minimum, 2.7, 2.3),
    "power": (np.power, 1.7, 2.3),
    "arctan2": (np.arctan2, 1.7, 2.3),
    "copysign": (np.copysign, 1.7, -2.3),
    "logaddexp": (np.logaddexp, 1.7, 2.3),
    "logaddexp2": (np.logaddexp2, 1.7, 2.3),
}


@pytest.mark.parametrize("backend", ["auto", "tape"])
@pytest.mark.parametrize(("call", "a", "b"), PAIRS.values(), ids=PAIRS)
def test_each_operand_alone(call: Any, a: float, b: float, backend: Any) -> None:
    def first(x: Any) -> Any:
        return call(x, b) * x

    def second(x: Any) -> Any:
        return call(a, x) * x

    for f, x in ((first, a), (second, b)):
        found = sg.grad(f, backend=backend, fallback="error")(x)
        np.testing.assert_allclose(found, numerical_gradient(f, (x,), 0), rtol=1e-6, atol=1e-9)
        if backend == "auto":
            tangent = sg.jvp(f, (x,), (2.0,))[1]
            np.testing.assert_allclose(tangent, 2 * found, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    ("x", "shape", "strides"),
    [
        (np.zeros(0), (2,), (8,)),
        (np.broadcast_to(1.0, 3), (2,), (0,)),
        (np.arange(4.0), (2,), (12,)),
        (np.arange(4.0), (2,), (48,)),
    ],
    ids=["of nothing", "of one element that is three", "between elements", "behind the end"],
)
def test_memory_that_is_of_no_element_is_refused(x: Any, shape: Any, strides: Any) -> None:
    with pytest.raises(sg.NotDifferentiableError, match="as_strided"):
        strided_places(x, shape, strides)


def test_nothing_is_read_from_nothing() -> None:
    assert strided_places(np.zeros(0), (0,), (8,)).size == 0
    assert strided_places(np.arange(3.0), (0, 2), (8, 8)).size == 0


@pytest.mark.parametrize(
    ("sections", "lengths"),
    [
        ([1, 3], (1, 2, 1)),
        ([1, 1, 2], (1, 0, 1, 2)),
        ([3, 1], (3, 0, 3)),
        (2, (2, 2)),
        ([-1], (3, 1)),
    ],
)
@pytest.mark.parametrize("axis", [0, 1])
def test_adjoints_of_pieces_are_added_where_the_pieces_lie(
    sections: Any, lengths: Any, axis: int
) -> None:
    whole = np.arange(16.0).reshape(4, 4)
    pieces = np.split(whole, sections, axis=axis)
    assert tuple(piece.shape[axis] for piece in pieces) == lengths
    weights = [np.full(piece.shape, 10.0**k) for k, piece in enumerate(pieces)]
    for missing in (None, *range(len(pieces))):
        given = [None if k == missing else weight for k, weight in enumerate(weights)]
        expected = np.zeros_like(whole)
        places = np.split(np.arange(4), sections)
        for place, weight in zip(places, given, strict=True):
            if weight is not None:
                expected[place if axis == 0 else (slice(None), place)] += weight
        found = join_pieces(given, whole.shape, sections, axis)
        np.testing.assert_array_equal(np.zeros_like(whole) if found is None else found, expected)


def test_operands_that_are_chosen_are_marked() -> None:
    x, y = np.array([1.0, 2.0, 3.0]), np.array([3.0, 2.0, 1.0])
    node = SimpleNamespace(saved_tensors=(x, y))
    smaller, larger = selection._of_smaller(node), selection._of_larger(node)
    assert {k: v.tolist() for k, v in smaller.items()} == {
        0: [True, True, False],
        1: [False, True, True],
    }
    assert {k: v.tolist() for k, v in larger.items()} == {
        0: [False, True, True],
        1: [True, True, False],
    }


@pytest.mark.parametrize("trim", ["f", "b", "fb", "FB"])
def test_what_is_trimmed_has_its_gradient_where_it_lay(trim: str) -> None:
    held = np.array([0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0])
    x = np.array([0.3, -0.5, 0.7, 1.1, -0.2, 0.9, 0.4])

    def loss(x: Any) -> Any:
        kept = np.trim_zeros(x * held, trim)
        return np.sum(kept * np.arange(1.0, len(kept) + 1) ** 2)

    expected = numerical_gradient(loss, (x,), 0)
    np.testing.assert_allclose(sg.grad(loss)(x), expected, rtol=1e-7)
    slope = sg.jvp(loss, (x,), (np.cos(x),))[1]
    np.testing.assert_allclose(slope, np.sum(expected * np.cos(x)), rtol=1e-7)
