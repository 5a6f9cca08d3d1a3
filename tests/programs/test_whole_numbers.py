"""Checks that no value with a derivative is stored into an array of integers without a word."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from tests.differences import assert_same, numerical_gradient

X = np.array([0.7, -1.2, 2.5, 1.1])
K = np.array([3, 1, 4, 2])


def zeros_like_what_was_given(x, k):
    y = np.zeros_like(k)
    y[:] = x * 3
    return np.sum(y * x)


def copy_of_what_was_given(x, k):
    y = k.copy()
    y[1:] = x[1:] ** 2
    return np.sum(y * x)


def written_argument(x, k):
    k[0] = x[1] * 3
    return np.sum(k * x)


def view_of_an_argument(x, k):
    y = k.reshape(2, 2)
    y[0] = x[:2]
    return np.sum(y) * x[0]


def array_of_given_numbers(x, k):
    y = np.array([k[0], k[1], 0])
    y[1] = x[0] * 5
    return np.sum(y) * x[1]


def full_of_a_given_number(x, k):
    y = np.full(4, k[0])
    y[1] += x[0] * 5
    return np.sum(y) * x[1]


def order_overwritten(x, k):
    order = np.argsort(x)
    order[0] = x[0] * 4
    return np.sum(order * x) + k[0]


def truths_overwritten(x, k):
    low = x < k
    low[0] = x[0]
    return np.sum(low * x)


def _put(a, v):
    if v > 0:
        a[0] = v


def written_by_a_helper(x, k):
    y = k + 1
    _put(y, x[0] * 5)
    return np.sum(y * x)


def filled(x, k):
    y = np.zeros_like(k)
    y.fill(x[0] * 5)
    np.put(y, [0, 2], x[:2])
    return np.sum(y * x)


def on_one_path(x, k):
    if x[0] > 0:
        y = np.zeros_like(k)
    else:
        y = np.zeros_like(x)
    y[1:] = x[1:] * 3
    return np.sum(y * x)


def rows_of_what_was_given(x, k):
    total = 0.0
    for row in k.reshape(2, 2):
        row[0] = x[0] * 3
        total = total + np.sum(row * x[:2])
    return total


def outer_product_of_given_numbers(x, k):
    a = np.linalg.outer(k, k)
    a[0] = x
    return np.sum(a * x)


def power_of_a_matrix_of_given_numbers(x, k):
    a = np.linalg.matrix_power(np.outer(k, k), 2)
    a[0] = x
    return np.sum(a * x)


def largest_of_given_numbers(x, k):
    a = np.max(np.outer(k, k), axis=0)
    a[0] = x[0]
    return np.sum(a * x)


PROGRAMS = [
    zeros_like_what_was_given,
    copy_of_what_was_given,
    written_argument,
    view_of_an_argument,
    array_of_given_numbers,
    full_of_a_given_number,
    order_overwritten,
    truths_overwritten,
    written_by_a_helper,
    filled,
    on_one_path,
    rows_of_what_was_given,
    outer_product_of_given_numbers,
    power_of_a_matrix_of_given_numbers,
    largest_of_given_numbers,
]
OF_FLOATS_TOO = [p for p in PROGRAMS if p not in (order_overwritten, truths_overwritten)]


@pytest.mark.filterwarnings("ignore::srcgrad.FallbackWarning")
@pytest.mark.parametrize("program", PROGRAMS)
def test_integers_are_refused(program: Callable[..., Any]) -> None:
    with pytest.raises(sg.SrcgradError, match=r"integer|int64|bool|cut it off"):
        sg.grad(program)(X.copy(), K.copy())


@pytest.mark.filterwarnings("ignore::srcgrad.FallbackWarning")
@pytest.mark.parametrize("program", PROGRAMS)
def test_integers_are_refused_forwards(program: Callable[..., Any]) -> None:
    if program is rows_of_what_was_given:
        pytest.skip("the tape, which knows where the rows lie, is right")
    with pytest.raises(sg.SrcgradError, match=r"integer|int64|bool|cut it off"):
        sg.jvp(program, (X.copy(), K.copy()), (np.ones(4), None))


@pytest.mark.parametrize("program", OF_FLOATS_TOO)
def test_floats_are_not(program: Callable[..., Any]) -> None:
    args = (X.copy(), K.astype(float))
    derivative = sg.grad(program)
    expected = numerical_gradient(program, args, 0)
    assert_same(derivative(*args), expected)
    with pytest.raises(sg.SrcgradError):
        derivative(X.copy(), K.copy())
    assert_same(derivative(X.copy(), K.astype(float)), expected)


def test_the_line_is_named() -> None:
    with pytest.raises(sg.NotDifferentiableError) as caught:
        sg.grad(copy_of_what_was_given)(X, K)
    assert "y = k.copy()" in "".join(caught.value.__notes__)
