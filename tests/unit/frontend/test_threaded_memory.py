"""What functions that write and call themselves share with their callers, without the check."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.checker import witness
from tests.differences import assert_same, numerical_gradient

X = np.array([0.7, 1.3, 0.4, 1.9])


def doubled_inside(rows, i):
    if i < len(rows):
        rows[i] *= 2.0
        doubled_inside(rows, i + 1)


def turned_round(rows, i, j):
    if i < j:
        rows[i], rows[j] = rows[j], rows[i]
        turned_round(rows, i + 1, j - 1)


def powers(n, x, known):
    if n not in known:
        known[n] = powers(n - 1, x, known) * x
    return known[n]


def moved_and_noted(n, x, log):
    log.append(x[0] * n)
    return moved_and_noted(n - 1, x, log) if n else x + 1.0


def array_updated_in_a_list(x):
    a = x * x
    rows = [a, x * 1.0]
    doubled_inside(rows, 0)
    return np.sum(a * rows[1])


def array_recorded_before_its_update(x):
    a = x * x
    before = np.sum(a * a)
    rows = [a, x * 1.0]
    doubled_inside(rows, 0)
    return before * np.sum(rows[0] * rows[1])


def rows_of_a_matrix_updated(x):
    matrix = (x * 1.0).reshape(2, 2)
    rows = [matrix[0], matrix[1]]
    doubled_inside(rows, 0)
    return np.sum(rows[0] * matrix[1])


def array_updated_where_it_was_moved(x):
    a = x * x
    rows = [a, x * 1.0]
    turned_round(rows, 0, 1)
    rows[1] *= 2.0
    return np.sum(a * rows[0])


def array_updated_after_it_was_moved(x):
    a = x * x
    rows = [a, x * 1.0]
    turned_round(rows, 0, 1)
    a *= 3.0
    return np.sum(rows[1] * rows[0])


def result_that_lies_in_a_memo(x):
    known = {0: x * 1.0}
    v = powers(2, x, known)
    v *= 3.0
    return np.sum(powers(3, x, known)) + np.sum(known[2])


def new_result_beside_a_list(x):
    log = []
    v = moved_and_noted(1, x, log)
    v *= x[1]
    return np.sum(v * x) + sum(log)


def argument_updated_beside_a_new_result(x):
    log = []
    y = x * 1.0
    v = moved_and_noted(2, y, log)
    v[0] *= 3.0
    y[1] *= 2.0
    return np.sum(v * y) + sum(log)


FUNCTIONS = [
    *(array_updated_in_a_list, array_recorded_before_its_update, rows_of_a_matrix_updated),
    *(array_updated_where_it_was_moved, array_updated_after_it_was_moved),
    *(result_that_lies_in_a_memo, new_result_beside_a_list, argument_updated_beside_a_new_result),
]


@pytest.fixture(autouse=True)
def unchecked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the texts unproven: they must be right by themselves."""
    monkeypatch.setenv(witness.VARIABLE, "0")


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_gradients_and_tangents_are_those_of_differences(function):
    expected, direction = numerical_gradient(function, (X,), 0), np.array([0.3, -0.2, 0.5, 0.1])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sg.FallbackWarning)
        gradient = sg.grad(function)(X.copy())
        _, tangent = sg.jvp(function, (X.copy(),), (direction,))
    assert_same(gradient, expected)
    assert_same(tangent, expected @ direction)


def test_what_is_held_and_updated_is_refused_where_it_is_given():
    with pytest.raises(sg.MutationError, match="`doubled_inside`, which updates what `rows` holds"):
        sg.grad(array_recorded_before_its_update, fallback="error")(X)
