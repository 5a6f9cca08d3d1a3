"""Tests which parameters are taken for vectors."""

from __future__ import annotations

import numpy as np
import pytest

from srcgrad.frontend.usage import vector_parameters


def by_elements(x, n):
    total = x[0] * 2.0
    for i in range(n):
        total = total + x[i] * x[-1]
    return total


def elements_with_elements(x, n):
    return x[0][n] + x[1][n]


def element_that_is_written(x, n):
    y = x[0]
    y[...] *= np.flip(y)
    return np.sum(y) * n


def element_that_is_read_by_elements(x, n):
    row = x[1]
    return row[n] + x[0]


def element_that_is_multiplied(x, n):
    return x[0] @ x[1] * n


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (by_elements, {"x"}),
        (elements_with_elements, set()),
        (element_that_is_written, set()),
        (element_that_is_read_by_elements, set()),
        (element_that_is_multiplied, set()),
    ],
)
def test_parameters_are_vectors_if_their_elements_may_be_numbers(function, expected) -> None:
    assert vector_parameters(function) == expected
