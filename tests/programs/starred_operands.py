"""Starred operands of functions with rules, and shapes given by a star."""

from __future__ import annotations

import math

import numpy as np

from tests.programs.corpus import program


@program("v")
def a_shape_by_a_star_in_reshape(x):
    m = x.reshape(1, x.size)
    w = np.arange(3.0).reshape(3, 1) + x[0]
    y = x.reshape(*m.shape)
    return np.sum(y * w * y)


@program("v")
def a_part_of_a_shape_by_a_star_in_reshape(x):
    m = np.outer(x, x)
    return np.sum((m * 2.0).reshape(-1, *m.shape[1:])[0] * x)


@program("v")
def axes_by_a_star_in_transpose(x):
    m = np.outer(x, x * x)
    return np.sum(m.transpose(*range(m.ndim)[::-1])[0] * x)


@program("v")
def new_memory_of_a_shape_by_a_star(x):
    made = np.zeros(*x.shape)
    made[0] = x[1]
    made[1:] += x[1:] ** 2
    return np.sum(made * x)


@program("v")
def a_function_of_two_operands_of_a_row(x):
    total = 0.0
    for row in x[:4].reshape(2, 2):
        total += np.hypot(*row)
    return total * math.atan2(*x[:2])


@program("v")
def a_function_of_two_rows_by_a_star(x):
    rows = np.stack([x, x[::-1] * 2.0])
    return np.sum(np.maximum(*rows) ** 2) + np.dot(*rows)


@program("v")
def the_largest_of_all_elements_by_a_star(x):
    return max(*x) * min(*x) + max(0.01, *x[1:])


@program("v")
def the_largest_of_several_stars(x):
    return max(x[0] * 2.0, *x[1:3], *[v * v for v in x])
