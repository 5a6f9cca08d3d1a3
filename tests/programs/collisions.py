"""Programs in which names meet: two names of one list, variables called like generated ones."""

from __future__ import annotations

import numpy as np
from numpy import sign, zeros_like

import srcgrad as sg
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


@program("v")
def list_of_numbers_under_two_names(x):
    numbers = [x[0], x[1]]
    same = numbers
    same[0] += x[1] * x[0]
    return numbers[0] * numbers[1]


@program("v")
def list_of_arrays_under_two_names(x):
    arrays = [x * 1.0, x * 2.0]
    same = arrays
    same[0] += x
    return np.sum(arrays[0] * arrays[1])


@program("v")
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


@program("v")
def elements_swapped_with_a_number(x):
    t = x @ np.array([0.3, -0.2, 0.5, 0.9])
    for e in x:
        for _ in range(3):
            e *= np.log(1.5 + np.sin(e) ** 2)
            t, e = e, t
    return np.tanh(t * 0.1)


@program("s", "s")
def numbers_swapped_in_an_inner_loop(x, t):
    for k in range(2):
        e = x * (k + 1.0)
        for _ in range(3):
            e = e * np.sin(e)
            t, e = e, t
    return t * 0.1


@program("v")
def three_numbers_turned_in_an_inner_loop(x):
    a, b, c = x[0], x[1], x[2]
    for _ in range(2):
        d = x[3] * a
        for _ in range(2):
            d = d * b + 0.1
            a, b, c, d = d, a, b, c
    return a * b + c


@program("v")
def array_or_number_beside_a_write(x):
    y = x * 1.0
    if x[0] > 10.0:
        v = y
    else:
        v = np.sum(x) * 2.0
    y[0] = 3.0 * x[1]
    return np.sum(v * x)


@program("v")
def array_or_number_beside_an_update(x):
    y = x * 1.0
    v = x[0] * x[1]
    if x[0] > 10.0:
        v = y
    y *= 2.0
    return np.sum(v * x)


@program("v")
def differences_of_no_order_are_the_array_itself(x):
    y = x * 1.0
    same = np.diff(y, 0)
    same[0] = 3.0 * x[1]
    return np.sum(y * x)


@program("v")
def numbers_made_finite_in_place(x):
    y = x * 1.0
    same = np.nan_to_num(y, False)
    same[0] = 3.0 * x[1]
    return np.sum(y * x)


@program("v")
def variable_called_min_beside_zip(x):
    total = 0.0
    for k, (min, h) in enumerate(zip(x, x)):
        total += min * h * k
    return sum(r * k for r, k in zip(x, x)) * total


@program("v")
def variables_called_range_and_len_beside_loops(x):
    range = x[0] * 2.0
    total = 0.0
    for v in x:
        total += v * range * v
    len = total
    for v, w in zip(x, x[1:]):
        total += v * w * len
    return total


@program("v")
def values_called_list_and_tuple_and_slice(x):
    list = x * x[1]
    tuple = (list, list * x)
    slice = tuple[1][1:]
    isinstance = x[0]
    for a, b in zip(list, slice):
        isinstance += a * b
    return isinstance


def _weighed(ys, w):
    total = 0.0
    for p, q in zip(ys, ys[1:]):
        total += p * q * w
    return total


@program("v")
def helper_of_builtins_where_their_names_are_variables(x):
    len = x[0] * 2.0
    range = [_weighed(x, len) for _ in x]
    min = range[0]
    reversed, (zip, *str) = min * _weighed(x, min), (len, min)
    return reversed * zip + str[0]


@program("v")
def array_called_as_numpy_is(x):
    np = x * 2.0
    out = [v * w for v, w in zip(np, x)]
    total = 0.0
    for r in out:
        total += r * np[0]
    return total if total > 0.0 else total * 3.0


@program("v")
def imported_by_name_and_called_on_a_part(x):
    y = x * x
    chosen = x > 0.3
    y[chosen] = sign(3.0 - x[chosen]) * x[chosen]
    return np.sum(y)


@program("v")
def imported_by_name_beside_a_variable_with_its_number(x):
    sign_2 = 2.0 * x[0]
    zeros_like_2 = zeros_like(x) + sign_2
    parts = [sign(v) * v for v in zeros_like_2]
    return sum(parts) + sign(sign_2) * zeros_like_2[1]


@program("m")
def imported_by_name_in_loops_and_helpers(a):
    total = 0.0
    for i in range(len(a)):
        total += sign(a[i, 0]) * _folded(a[i])
    return total


def _folded(row):
    copied = sign(row[1:]) * row[1:] ** 2
    zeros_like_2 = zeros_like(row)
    zeros_like_2[1:] = copied
    return np.sum(zeros_like_2 * row)


def bent(x):
    y = x
    if x[0] > 0:
        y = np.sin(x)
    return np.sum(y * y)


def bent_forward(x):
    """Be called as the forward half of `bent` would be."""
    return bent(x) * x[0], x


def bent_backward(saved, grad):
    """Be called as its backward half would be."""
    return np.sum(saved) * grad


def bent_jvp(x, x_dot):
    """Be called as its tangent function would be."""
    return bent(x), x_dot


@program("v")
def one_calls_a_function_whose_halves_have_names_of_others(x):
    return bent(x) * 3.0


@program("v")
def one_calls_functions_called_as_the_halves_of_another(x):
    value, saved = bent_forward(x)
    return bent(x) + value + bent_backward(saved, x[1]) + bent_jvp(x, value)[1]


@program("v")
def one_calls_them_in_a_loop(x):
    total = 0.0
    for k in range(3):
        total = total + bent(x * (k - 1.0)) * bent_forward(x)[0]
    return total


@sg.checkpoint
def curved(x):
    return np.sum(np.sin(x) * x)


def curved_forward(x):
    return x[0] * 7.0


@program("v")
def one_calls_what_is_run_again_beside_its_namesake(x):
    return curved(x) + curved_forward(x) * x[1]


@program("v")
def comprehensions_with_names_that_texts_use(x):
    total = sum(min for min, a in zip(x, x))  # a loop over both is as long as the smaller
    scaled = [len * a for len, a in zip(x, 2.0 * x)]
    counted = {len: a for len, a in enumerate(x)}
    rows = np.array([[len * min for min in x] for len in x])
    best = max(len for len in x)
    return total * scaled[0] * counted[1] + np.sum(rows @ x) * best


def _doubled(values):
    return sum(range * 2.0 for range in values)


@program("v")
def comprehensions_of_helpers_with_such_names(x):
    def halves(values):
        return [np * 0.5 for np in values]

    pairs = {zip: isinstance for zip, isinstance in zip(range(3), x)}
    nested = [[list * 2.0 for list in range] for range in (x, x * x)]
    return _doubled(x) * halves(x)[1] + pairs[1] * nested[1][0]
