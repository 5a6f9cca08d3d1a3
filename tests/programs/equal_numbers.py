"""Spreads of numbers that are all equal, whose values are rounding."""

from __future__ import annotations

import numpy as np

from tests.programs.corpus import program


@program("v")
def spread_of_equal_numbers(x):
    return np.std(np.full(3, x[0] * 0.1)) * x[1] + x @ x


@program("v")
def spreads_of_equal_rows(x):
    spreads = np.std(np.outer(x, np.ones(3) * 0.7), axis=1)
    return np.sum(spreads * x) + np.sum(np.sin(x))


@program("v")
def spread_of_what_is_the_same_three_times(x):
    same = np.stack([x[0] * 0.1, x[0] * 0.1, x[0] * 0.1])
    return np.nanstd(same, ddof=1) + np.prod(x)


@program("v")
def spread_of_numbers_calculated_in_several_ways(x):
    same = np.array([x[0] * 3.0, x[0] + x[0] + x[0], x[0] * 6.0 / 2.0])
    return same.std(keepdims=True)[0] + np.std(x) * x[1]
