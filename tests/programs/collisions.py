"""Programs in which names meet: two names of one list, variables called like generated ones."""

from __future__ import annotations

import numpy as np

from tests.programs.corpus import program


@program("s")
def variables_called_like_adjoints(x):
    b = x * 2.0
    grad_b = x + 1.0
    b_2 = b * grad_b
    out = b * b_2 + grad_b * b
    return out * b_2


@program("v")
def swaps_of_variables_called_like_adjoints(x):
    grad_a, a_2 = x[0], x[1]
    a, grad_a_2 = a_2 * grad_a, grad_a + a_2
    a, a_2 = grad_a_2, a * grad_a
    return a * a * a_2 + grad_a


@program("v", by="tape")
def list_of_numbers_under_two_names(x):
    numbers = [x[0], x[1]]
    same = numbers
    same[0] += x[1] * x[0]
    return numbers[0] * numbers[1]


@program("v", by="tape")
def list_of_arrays_under_two_names(x):
    arrays = [x * 1.0, x * 2.0]
    same = arrays
    same[0] += x
    return np.sum(arrays[0] * arrays[1])


@program("v", by="tape")
def number_stored_into_a_list_under_two_names(x):
    numbers = [x[0], x[1]]
    same = numbers
    first = numbers[0]
    same[0] = x[2] * 3.0
    return numbers[0] * numbers[1] + first


def _total(p):
    if isinstance(p, dict):
        return p["a"] * 2.0
    s = 0.0
    for v in p:
        s = s + v * v
    return s


@program("v", by="tape")
def a_list_or_a_dict_by_its_type(x):
    return _total([x[0], x[1]]) + _total({"a": x[2]})


def _copied(v):
    if isinstance(v, dict):
        return v["a"] * 1.0
    return v.copy()


@program("v")
def a_copy_of_an_array_that_might_be_a_dict(x):
    return np.sum(_copied(x) * x)
