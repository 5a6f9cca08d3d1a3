"""What helpers ask of arguments that are known, next to what is not: Python warns of literals."""

from __future__ import annotations

import numpy as np
import pytest

import srcgrad as sg
from tests.differences import assert_same, numerical_gradient


def either(x, mode, n):
    if mode is None or n == 0:
        return x
    return x * x * n


def other_way_round(x, mode, n):
    if n == 0 or mode is None:
        return x
    return x * x * n


def both(x, mode, n):
    if mode is None and n == 0:
        return x
    return x * x * n


def between(x, mode, n):
    if n == 2 and mode is not None and n > 1:
        return x
    return x * x * n


def as_a_value(x, mode, n):
    flag = mode is not None
    y = x * x if (n > 0 and mode is None) else x * 3
    return y * flag


HELPERS = [either, other_way_round, both, between, as_a_value]


@pytest.mark.parametrize("helper", HELPERS, ids=lambda helper: helper.__name__)
@pytest.mark.parametrize("n", [0, 2, 4])
def test_a_helper_that_asks_whether_a_literal_is_none_is_differentiated_without_a_warning(
    helper, n
):
    def with_text(x, n):
        return np.sum(helper(x, "odd", n) * x)

    def with_none(x, n):
        return np.sum(helper(x, None, n) * x)

    def with_number(x, n):
        return np.sum(helper(x, 2.5, n) * x)

    x = np.array([0.7, 1.3])
    for function in (with_text, with_none, with_number):
        gradient = sg.grad(function, fallback="error")(x, n)
        assert_same(gradient, numerical_gradient(function, (x, n), 0))
