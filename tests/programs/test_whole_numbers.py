"""Checks that no value with a derivative is stored into an array of integers without a word."""

from __future__ import annotations

import contextlib
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


# -- in lists and dicts: truncated, it has no slope; a right number or a refusal, in every mode


def array_of_a_list(x):
    held = [np.array([1, 2, 3, 4]), x * 1.0]
    first = held[0]
    first[0] = x[1]
    return np.sum(held[0] * held[1])


def array_put_into_a_list(x):
    held = [x * 2.0, x * 1.0]
    last = held[1]
    held[0] = np.array([1, 2, 3, 4])
    first = held[0]
    first[0] = x[1]
    return np.sum(held[0] * last)


def array_under_a_new_key(x):
    held = {"a": x * 1.0}
    a = held["a"]
    held["b"] = np.arange(4)
    b = held["b"]
    b += 1
    b[1] = x[0] * 9
    return np.sum(held["b"] * a)


def array_taken_out(x):
    held = [x * 1.0, np.array([1, 2, 3, 4])]
    last = held.pop()
    last[0] = x[1] * 3
    held.append(last)
    return np.sum(held[1] * x)


def array_of_a_comprehension(x):
    held = [np.zeros(4, int) for _ in range(2)]
    held[0][0] = x[1] * 10
    return np.sum(held[0] * x)


HELD = [
    array_of_a_list,
    array_put_into_a_list,
    array_under_a_new_key,
    array_taken_out,
    array_of_a_comprehension,
]


def first_of_a_list(p, x):
    first = p[0]
    first[0] = x[1]
    return np.sum(first * x)


def each_of_a_list(p, x):
    for item in p:
        item[0] = x[1]
    return np.sum(p[0] * x)


@pytest.mark.filterwarnings("ignore::srcgrad.FallbackWarning")
@pytest.mark.parametrize("program", HELD)
def test_arrays_of_integers_in_lists_have_no_slope(program: Callable[..., Any]) -> None:
    x = X + 0.03  # no step comes to a whole number
    expected = numerical_gradient(program, (x,), 0)
    for derivative in (sg.grad(program), sg.jacobian(program)):
        with contextlib.suppress(sg.NotDifferentiableError):
            assert_same(derivative(x), expected)
    for place, way in enumerate(np.eye(4)):
        with contextlib.suppress(sg.NotDifferentiableError):
            assert_same(sg.jvp(program, (x,), (way,))[1], expected[place])


@pytest.mark.filterwarnings("ignore::srcgrad.FallbackWarning")
@pytest.mark.parametrize("program", [first_of_a_list, each_of_a_list])
def test_so_have_those_in_lists_of_the_caller(program: Callable[..., Any]) -> None:
    derivative = sg.grad(program, (0, 1))
    derivative([X * 2, X * 3], X.copy())  # by a text for floats
    _, found = derivative([K.copy(), X.copy()], X + 0.03)
    used = [K.copy(), X.copy()]
    program(used, X + 0.03)
    assert_same(found, np.where(np.arange(4) < 1, used[0][0], K).astype(float))


def test_the_line_is_named() -> None:
    with pytest.raises(sg.NotDifferentiableError) as caught:
        sg.grad(copy_of_what_was_given)(X, K)
    assert "y = k.copy()" in "".join(caught.value.__notes__)
