"""Arrays that are made of lists of numbers are new memory, which may be written into."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import srcgrad as sg
from srcgrad.errors import MutationError
from tests.differences import numerical_gradient


def updated(x: Any) -> Any:
    y = np.asarray(x)
    y /= 2.0
    return np.sum(y * y) + x[0]


def stored_under_two_names(x: Any) -> Any:
    y = np.asarray(x)
    same = y
    same[0] = x[1] * 1.5
    return np.sum(y * same) + x[0]


def made_twice(x: Any) -> Any:
    y, z = np.asarray(x), np.atleast_1d(x)
    y *= 2.0
    return np.sum(y * z)


def checked(x: Any) -> Any:
    x = np.atleast_1d(x)
    return x[0] if len(x) == 1 else x


def updated_by_a_helper(x: Any) -> Any:
    y = checked(x)
    y -= 0.5
    return np.sum(y**3)


FUNCTIONS = [updated, stored_under_two_names, made_twice, updated_by_a_helper]


@pytest.mark.parametrize("f", FUNCTIONS)
@pytest.mark.parametrize("kind", [list, tuple])
def test_arrays_of_lists_are_written_into(f: Callable[..., Any], kind: type) -> None:
    given = kind([2.0, 3.0])
    expected = numerical_gradient(f, (given,), 0)
    np.testing.assert_allclose(sg.grad(f, fallback="error")(given), expected, rtol=1e-6)
    value, pull = sg.pullback(f, fallback="error")(given)
    np.testing.assert_allclose(pull(1.0), expected, rtol=1e-6)
    assert value == f(given)
    assert given == kind([2.0, 3.0])


def test_a_list_of_arrays_is_not_taken_for_one_of_numbers() -> None:
    with pytest.raises(MutationError):
        sg.pullback(updated_row, fallback="error")([np.ones(2), np.ones(2)])


def updated_row(x: Any) -> Any:
    y = np.asarray(x[0])
    y /= 2.0
    return np.sum(y * y)
