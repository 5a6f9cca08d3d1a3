"""Tests of types of NumPy's numbers that plain code on the tape calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import srcgrad as sg

FLOAT = np.float64
KINDS = (np.float32, np.float64)


def _converted(x, kind=None):
    kind = FLOAT if kind is None else kind
    assert kind in KINDS
    return kind(x)


def by_name(x):
    return np.sum(np.float64(x * x) * x)


def by_a_variable(x):
    return np.sum(_converted(x * x) * np.sin(x))


def single_precision(x):
    y = np.float32(x * x)
    assert y.dtype == np.float32
    assert y.dtype.type != FLOAT
    return np.sum(np.double(y) * x)


def of_numbers(x):
    y = FLOAT(x[0] * x[1])
    assert isinstance(y, np.float64)
    return np.float64(3.0) * y + sum(FLOAT(v * v) for v in x)


def of_a_list(x):
    return np.sum(
        np.float64([x[0] * x[1], x[1]]) * np.zeros(2, dtype=FLOAT) + np.float64([x[0], 2])
    )


def written_later(x):
    y = x * 1.0
    z = FLOAT(y)
    z *= x
    return np.sum(y * np.asarray(z, FLOAT))


def complex_numbers(x):
    y = np.complex128(x) * (2.0 + 1.0j)
    return np.sum(np.real(y * y))


FUNCTIONS = [
    *(by_name, by_a_variable, single_precision, of_numbers, of_a_list, written_later),
    complex_numbers,
]


@pytest.mark.parametrize("f", FUNCTIONS)
def test_they_convert_and_keep_the_derivative(f: Callable[[Any], Any]) -> None:
    x, along = np.array([0.5, -1.25]), np.array([0.75, 0.25])
    step = 1e-2 if f is single_precision else 1e-6  # of a polynomial of degree three
    wanted = (f(x + step * along) - f(x - step * along)) / (2 * step)
    slope = sg.grad(f, backend="tape")(x.copy())
    assert np.dot(slope, along) == pytest.approx(wanted, rel=1e-3 if step > 1e-3 else 1e-6)


def test_elsewhere_they_are_the_types_themselves() -> None:
    sg.grad(by_a_variable, backend="tape")(np.ones(2))
    assert FLOAT is np.float64
    assert type(FLOAT(2.0)) is np.float64


def by_identity(x):
    y = np.float64(x[0] * x[1])
    return y * 2.0 if type(y) is np.float64 else y * 3.0


def by_identity_in_a_helper(x):
    return np.sum(FLOAT(x)) if _is_one(FLOAT, KINDS[1]) else np.sum(3.0 * x)


def _is_one(kind, other):
    return kind is other


def by_number(x):
    return np.sum(FLOAT(x)) if id(FLOAT) == id(KINDS[1]) else np.sum(3.0 * x)


@pytest.mark.parametrize("f", [by_identity, by_identity_in_a_helper, by_number])
def test_where_their_identity_is_asked_for_they_stay_what_they_are(f: Callable[..., Any]) -> None:
    with pytest.raises(sg.NotDifferentiableError):
        sg.grad(f, backend="tape")(np.ones(2))


def compared(x):
    kinds = [y.dtype == FLOAT for y in (x, np.float32(x), np.zeros(2, np.double))]
    assert kinds == [True, False, True]
    assert np.dtype("float64") == FLOAT == np.dtype(FLOAT) != np.float32
    assert float == np.dtype(float)
    assert {FLOAT: 1}[np.float64] == {np.float64: 1}[KINDS[1]] == 1
    assert np.finfo(FLOAT).eps == np.finfo(float).eps
    assert np.issubdtype(FLOAT, np.floating)
    assert isinstance(np.float64(x[0]), (FLOAT, np.float32))
    assert issubclass(FLOAT, float)
    return np.sum(np.array([x[0], x[1]], dtype=np.float64) * x.astype(FLOAT))


def test_they_are_equal_to_what_the_types_are_equal_to() -> None:
    assert sg.grad(compared, backend="tape")(np.array([1.0, 3.0])) == pytest.approx([2.0, 6.0])


def of_one_element(x):
    y = FLOAT(x[:1].reshape(1, 1) * x[1])
    return np.sum(np.reshape(y, -1)) + np.ndim(y)


def of_text(x):
    return x[0] * FLOAT(str(x[1]))


def test_they_have_the_axes_that_the_types_make() -> None:
    x = np.array([2.0, 3.0])
    value, slope = sg.value_and_grad(of_one_element, backend="tape")(x)
    assert value == of_one_element(x)
    assert slope == pytest.approx([3.0, 2.0])


def test_texts_of_values_are_not_read() -> None:
    with pytest.raises(sg.NotDifferentiableError, match="reading as a number"):
        sg.grad(of_text, backend="tape")(np.array([2.0, 3.0]))


TABLE = np.array([1.0, 2.0])
KNOWN = {}


def keyed_by_a_constant(x):
    key = hash((TABLE * 2.0).tobytes())
    if key not in KNOWN:
        KNOWN[key] = np.sum(TABLE * TABLE)
    return np.sum(np.float64(x) * KNOWN[key])


def keyed_by_a_value(x):
    return np.sum(x) * len((x * 2.0).tobytes())


def test_bytes_of_constants_are_told_and_of_values_refused() -> None:
    assert sg.grad(keyed_by_a_constant, backend="tape")(np.ones(2)) == pytest.approx([5.0, 5.0])
    assert all(type(value) is np.float64 for value in KNOWN.values())
    with pytest.raises(sg.NotDifferentiableError, match="tobytes"):
        sg.grad(keyed_by_a_value, backend="tape")(np.ones(2))


class Setting:
    """An object that compares itself, as classes do, and asks for no type."""

    def __init__(self, kind):
        self.kind = kind
        self.number = id(self)

    def __eq__(self, other):
        return self is other or other.__class__ is self.__class__

    __hash__ = None

    def of(self, x):
        return self.kind(x)


DOUBLE = Setting(np.float64)


def by_an_object(x):
    return np.sum(DOUBLE.of(x * x)) if Setting(float) == DOUBLE else np.sum(x)


def test_objects_may_compare_themselves() -> None:
    assert sg.grad(by_an_object, backend="tape")(np.ones(2)) == pytest.approx([2.0, 2.0])
    assert DOUBLE.kind is np.float64
