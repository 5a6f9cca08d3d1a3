"""Tests that an update which NumPy refuses, of integers by fractions, is refused by derivatives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import srcgrad as sg

MATRIX = np.arange(1.0, 10.0).reshape(3, 3)


def row_of_a_name_that_held_values(x: Any) -> Any:
    x = np.full(x.shape, 2)
    x[2] *= 0.1
    return np.sum(x)


def rows_in_a_loop(x: Any) -> Any:
    x = np.full(x.shape, 2)
    for i in range(3):
        x[i] /= 0.1
    return np.sum(x)


def entry_of_a_list(x: Any) -> Any:
    x = [np.full(x.shape, 2)]
    x[0] *= 0.1
    return np.sum(x[0])


def row_by_an_array_made_here(x: Any) -> Any:
    k = np.full(x.shape, 2)
    k[2] *= np.full(1, 0.1)
    return np.sum(k * x)


def sum_by_an_array_made_here(x: Any) -> Any:
    k = np.full(x.shape, 2)
    k[2] += np.full(1, 0.1)
    return np.sum(k * x)


def limits_written_to_integers(x: Any) -> Any:
    k = np.zeros(3, int)
    np.full(3, 1.5).clip(0.0, 1.2, out=k)
    return np.sum(k * x)


def two_results_one_of_them_whole(x: Any) -> Any:
    whole, part = np.zeros(3, int), np.zeros(3)
    np.modf(np.full(3, 1.5), out=(part, whole))
    return np.sum(whole * x)


def product_of_a_name_that_held_values(x: Any) -> Any:
    x = np.full(x.shape, 3)
    x[1] *= 2
    x[2, :2] -= 4
    return np.sum(x)


def sums_keep_the_whole_part(x: Any) -> Any:
    k = np.zeros(3, int)
    np.full((3, 3), 1.5).sum(axis=0, out=k)
    return np.sum(k * x)


REFUSED = [
    row_of_a_name_that_held_values,
    rows_in_a_loop,
    entry_of_a_list,
    row_by_an_array_made_here,
    sum_by_an_array_made_here,
    limits_written_to_integers,
    two_results_one_of_them_whole,
]


@pytest.mark.parametrize("f", REFUSED)
@pytest.mark.parametrize("backend", ["auto", "tape"])
def test_what_numpy_does_not_cast_is_refused(f: Any, backend: str) -> None:
    with pytest.raises(TypeError, match="Cannot cast"):
        f(MATRIX.copy())
    with pytest.raises(TypeError, match="Cannot cast"):
        sg.value_and_grad(f, backend=backend)(MATRIX.copy())
    with pytest.raises(TypeError, match="Cannot cast"):
        sg.jvp(f, (MATRIX.copy(),), (MATRIX,), backend=backend)


@pytest.mark.filterwarnings("ignore::srcgrad.errors.FallbackWarning")
@pytest.mark.parametrize("f", [product_of_a_name_that_held_values, sums_keep_the_whole_part])
@pytest.mark.parametrize("backend", ["auto", "tape"])
def test_what_numpy_casts_has_the_same_value(f: Any, backend: str) -> None:
    value, _ = sg.value_and_grad(f, backend=backend)(MATRIX.copy())
    assert value == f(MATRIX.copy())
