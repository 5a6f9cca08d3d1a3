"""Checks that numbers and arrays with operators of their own are refused, or run as they are."""

from __future__ import annotations

import enum
import json
import warnings
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import srcgrad as sg
from tests.differences import assert_same, numerical_gradient

pytestmark = pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")


class Tripled(float):
    def __mul__(self, other: Any) -> Any:
        return 3 * other

    __rmul__ = __mul__


class Product(np.ndarray):
    def __mul__(self, other: Any) -> Any:
        return np.asarray(self) @ other


class Silent(np.ndarray):
    def __array_ufunc__(self, *args: Any, **kwargs: Any) -> Any:
        return 3.0


class Named(np.ndarray):
    """One that calculates as arrays do."""


class Level(enum.IntEnum):
    HIGH = 2


class Holder:
    def __init__(self) -> None:
        self.matrix = MATRIX
        self.filled = np.ma.array([1.0, 2.0], mask=[0, 1])
        self.weight = 2.0

    def weighted(self, x: Any) -> Any:
        return np.sum(self.weight * x) ** 2

    def with_matrix(self, x: Any) -> Any:
        return np.sum(self.matrix * x)

    def with_filled(self, x: Any) -> Any:
        return np.sum(self.filled * x)


class Unused:
    def __init__(self) -> None:
        self.filled = np.ma.array([1.0, 2.0], mask=[0, 1])
        self.weight = 2.0


X = np.array([[1.0, 0.5], [0.2, 2.0]])
MATRIX = np.matrix([[1.0, 2.0], [3.0, 4.0]])
PRODUCT = np.array(MATRIX).view(Product)
SILENT = np.array(MATRIX).view(Silent)
NAMED = np.array(MATRIX).view(Named)
TRIPLED = Tripled(2.0)
HOLDER = Holder()
UNUSED = Unused()
LIST = [MATRIX]
LONG = [*[np.ones(2)] * 100, MATRIX]
DEEP = (1.0, {"a": [(2.0, [(3.0, [MATRIX])])]})


def by_a_field(x: Any) -> Any:
    return np.sum(x * HOLDER.matrix)


def masked_here(x: Any) -> Any:
    filled = np.ma.array([1.0, 2.0], mask=[0, 1])
    return np.sum(filled * x)


def masked_after(x: Any) -> Any:
    filled = np.ma.array([1.0, 2.0], mask=[0, 1])
    return np.sum(x * filled)


def _masked() -> Any:
    return np.ma.masked_array(np.ones((2, 2)), [[0, 0], [1, 0]])


def _masked_in_another() -> Any:
    return _masked() * 2.0


def _matrix() -> Any:
    return np.asmatrix(np.full((2, 2), 2.0))


def masked_and_added_to(x: Any) -> Any:
    filled = np.ma.masked_array(np.ones((2, 2)), [[0, 0], [1, 0]])
    filled += x
    return filled.sum()


def masked_and_scaled(x: Any) -> Any:
    filled = np.ma.ones((2, 2)) + 0.0 * np.ma.masked_array(np.ones((2, 2)), [[0, 0], [1, 0]])
    filled *= x[0, 0]
    return filled.sum()


def masked_and_written(x: Any) -> Any:
    filled = np.ma.zeros((2, 2))
    filled[0] = x[0]
    return filled.sum()


def masked_and_written_at_an_element(x: Any) -> Any:
    filled = _masked()
    filled[0, 0] = x[0, 0]
    return filled.sum()


def masked_and_written_flat(x: Any) -> Any:
    filled = _masked()
    filled.flat[0] = x[0, 0] * x[1, 0]
    return filled.sum()


def unmasked_and_written_flat(x: Any) -> Any:
    filled = np.ma.zeros(4)
    places = filled.flat
    places[1] = x[0, 0]
    return filled.sum() + np.sum(x)


def unmasked_and_written_flat_in_a_loop(x: Any) -> Any:
    filled = np.ma.array([1.0, 2.0, 3.0, 4.0])
    for i in range(2):
        filled.flat[i] = x[i, 0]
    return float(filled.sum()) + np.sum(x)


def unmasked_and_written_in_its_array(x: Any) -> Any:
    filled = np.ma.zeros(2)
    np.ma.getdata(filled)[0] = x[0, 0]
    filled.data[1:] = x[1, 1]
    return filled.filled().sum() + np.sum(x)


def chosen_by_a_masked_condition(x: Any) -> Any:
    return np.ma.where(np.ma.zeros(2) == 0.0, x[0], 2.0).sum()


def masked_by_a_helper(x: Any) -> Any:
    return (_masked() + x).sum()


def masked_by_a_helper_of_a_helper(x: Any) -> Any:
    filled = _masked_in_another()
    return (x * filled).sum()


def matrix_of_a_helper(x: Any) -> Any:
    return np.sum(_matrix() * x)


def of_sparse(x: Any) -> Any:
    return np.sum(sparse.csr_matrix(np.eye(2)).todense() * x)


UNLIKE = [
    lambda x: np.sum(x * x) * (UNUSED.weight + 0 * eval("x[0, 0]")),  # it may name any of these
    *(lambda x: np.sum(MATRIX * x), lambda x: np.sum(x * MATRIX), lambda x: np.sum(LIST[0] * x)),
    *(lambda x: np.sum(LONG[100] * x), lambda x: np.sum(x * DEEP[1]["a"][0][1][0][1][0])),
    *(lambda x: np.sum(PRODUCT * x), lambda x: np.sum(SILENT * x), lambda x: np.sum(x * SILENT)),
    *(lambda x: np.sum(TRIPLED * x), lambda x: np.sum(x[0, 0] * TRIPLED), by_a_field, of_sparse),
    *(lambda x: HOLDER.with_matrix(x) + 0.0, lambda x: HOLDER.with_filled(x) + 0.0),
    *(masked_here, masked_after, masked_and_added_to, masked_and_scaled, masked_and_written),
    *(masked_and_written_at_an_element, masked_and_written_flat, masked_by_a_helper),
    *(masked_by_a_helper_of_a_helper, matrix_of_a_helper, unmasked_and_written_flat),
    *(unmasked_and_written_flat_in_a_loop, unmasked_and_written_in_its_array),
    chosen_by_a_masked_condition,
]
ALIKE = [
    lambda x: np.sum(x * NAMED),
    lambda x: np.sum(x * x) * Level.HIGH,
    lambda x: np.sum(x * np.asarray(MATRIX)),
    lambda x: np.sum(x * MATRIX[0, 0]),
    lambda x: HOLDER.weighted(x) + 0.0,
]


@pytest.mark.parametrize("f", UNLIKE)
def test_what_calculates_otherwise_is_never_taken_for_an_array(f: Any) -> None:
    with pytest.raises(sg.UnsupportedError):
        sg.grad(f, fallback="error")(X)
    for run in (sg.grad(f, fallback="tape"), lambda x: sg.vjp(f, x)[1](1.0)[0]):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", sg.FallbackWarning)
                found = run(X)
        except sg.SrcgradError:
            continue
        assert_same(found, numerical_gradient(f, (X,), 0))


@pytest.mark.parametrize("f", ALIKE)
def test_what_calculates_as_arrays_do_is_taken_for_one(f: Any) -> None:
    assert_same(sg.grad(f, fallback="tape")(X), numerical_gradient(f, (X,), 0))


@pytest.mark.parametrize("value", [MATRIX, PRODUCT, TRIPLED, [SILENT], {"a": MATRIX}])
def test_arguments_that_calculate_otherwise_are_refused(value: Any) -> None:
    def f(x: Any, other: Any) -> Any:
        return np.sum(x * x)

    with pytest.raises(sg.SrcgradError, match="operators of its own"):
        sg.grad(f)(X, value)
    with pytest.raises(sg.SrcgradError, match="operators of its own"):
        sg.vjp(f, X, value)


@pytest.mark.parametrize("fallback", ["error", "tape"])
@pytest.mark.parametrize("write", [json.dumps, Decimal, lambda x: "%.9g" % x])  # noqa: UP031
def test_numbers_that_went_through_text_are_refused(write: Any, fallback: Any) -> None:
    with pytest.raises(sg.SrcgradError):
        sg.grad(lambda x: x * float(write(x)), fallback=fallback)(1.5)
