"""Programs with a rare turn each: what is known of it must lead to the right gradient.

Roots have no slope at zero, which one of the numbers is: where it does not count, a gradient that
takes it into account is not finite.
"""

# ruff: noqa: PLW2901, RUF059, UP031 - as programs are written

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np

OUT = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
BIG = OUT
LONG = np.linspace(0.3, 2, 20)
PROGRAMS: list[Any] = []
REFUSED: dict[str, Any] = {}


def program(function):
    PROGRAMS.append(function)
    return function


def refused(sentence):
    def add(function):
        REFUSED[function.__name__] = sentence, function
        return function

    return add


@program
def a_quotient_by_an_element(m, x):
    return np.sum(np.exp(m * x[:3][None, :]) / x[3])


@program
def all_of_it_read(x):
    return np.sum(np.sqrt(x)[:][np.array([0, 1, 3])])


@program
def a_mean_over_all_axes(m):
    return np.sum(np.mean(m, axis=(0, 1)) * m)


@program
def cast_to_a_type(x):
    return np.sum(x.astype(np.dtype(float)) ** 2)


@program
def sorted_stably(x):
    return np.sum(np.sort(np.sqrt(x + 1), kind="stable")[1:] * BIG[1:])


@program
def clipped_roots(x):
    return np.sum(np.clip(np.sqrt(x), 0.1, 1.2))


@program
def times_truths(x):
    return np.sum((x > 0) * np.sqrt(x))


@program
def transposed_by_axes(m, w):
    return np.sum(np.transpose(np.sqrt(m), (1, 0))[:, 1] * w[:3])


@program
def rolled_by_a_name(x, k):
    return np.sum(np.roll(np.sqrt(x + 1), k)[[0, 1]])


@program
def differences_twice(x):
    return np.sum(np.diff(np.sqrt(x + 1), n=2)[1:])


@program
def compressed_with_None(x):
    return np.sum(np.compress(np.array([1, 1, 0, 1, 1, 1], bool), np.sqrt(x), None, None))


@program
def the_length_of_a_text(x):
    return x[0] * len("%d" % x[0])


@program
def sorted_along_an_axis(m):
    return np.sum(np.sort(np.sqrt(m + 1), 1, "stable")[:, 1:])


@program
def clipped_by_arrays(x, w):
    return np.sum(np.clip(np.sqrt(x), w * 0 + 0.1, 1.2))


@program
def selected_by_comparisons(x):
    return np.sum(np.select([x > 0.6, x > 0.1], [np.sqrt(x), np.log(x + 1e-09) * 0 + x], 0.0))


@program
def parts_of_roots(x):
    return np.sum(np.where(x[:3] > 0, np.sqrt(x)[:3], 0.0))


@program
def all_axes_read(m):
    return np.sum(np.where(m > 0, np.sqrt(m)[:, :], 0.0))


@program
def roots_at_places(x):
    return np.sum(np.sqrt(x)[np.where(x > 0)])


@program
def a_number_times_an_array(x, s):
    return np.sum(x * s * np.cos(s))


@program
def rows_divided(m, y):
    return np.sum(m / y[:3] * y[0])


@program
def backwards_to_the_start(x):
    y = np.zeros(6)
    for i in range(5, -1, -1):
        y[i] = x[i] * 2
    return np.sum(y * OUT)


@program
def updated_through_a_part_of_an_extreme(m):
    y = np.max(m, axis=-1, keepdims=True) * 1.0
    v = y[0]
    v += 1.0
    v *= v
    return np.sum(y)


@program
def left_by_counting(x):
    y = x * 1.0
    for i in range(6):
        if i > 2:
            break
        y[-i] = y[-i] * x[i]
    return np.sum(y)


@program
def rows_of_a_list_updated(m):
    rows = [m[0] * 1.0]
    rows.append(m[1] * 1.0)
    r = rows[1]
    r *= m[0]
    return np.sum(rows[1])


@program
def split_along_an_axis(m):
    a, b = np.split(np.sqrt(m), [2], axis=1)
    return np.sum(a) + b[1, 0]


@program
def by_steps_that_are_given(x, k):
    y = np.zeros(6)
    for i in range(0, 6, k):
        y[i] = x[i] ** 2
    return np.sum(y * OUT)


@program
def rows_of_nested_lists(x):
    y = [[x[0], x[1]], [x[2], x[3]]]
    y[0][1] = y[1][0] * 2
    r = y[0]
    r[0] = r[1] * r[0]
    return y[0][0] + y[0][1]


@program
def down_over_zero(x, n):
    y = x * 1.0
    for i in range(n, -n, -1):
        y[i] = y[i] * x[i]
    return np.sum(y)


@program
def flat_of_a_constant(x):
    v = BIG.flat
    return x[0] * v[1]


@program
def selected_from_a_list(x):
    v = [np.sqrt(x), x]
    return np.sum(np.select([x > 0.6, x > 0.1], v, 0.0))


@program
def chosen_from_a_list(x, y):
    c = [np.sqrt(x + 1), y]
    return np.sum(np.choose(np.array([0, 0, 1, 0, 0, 0]), c))


@program
def elements_and_all_of_roots(x):
    r = np.sqrt(x)
    t = 0.0
    for i in range(2):
        t = t + r[i]
    return t + np.sum(np.where(x > 0, r, 0.0))


@program
def elements_and_a_slice_of_roots(x):
    r = np.sqrt(x)
    return r[0] + np.sum(r[3:5]) + r[-1]


@program
def shares_of_columns(m):
    t = np.max(m, axis=0)
    e = np.exp(-t + m)
    return np.sum(e / np.sum(e, axis=0) * m)


@program
def one_of_the_shares(x, k):
    t = np.max(x)
    e = np.exp(x - t)
    return np.sum(e[t.astype(int) * 0 + k] / np.sum(e))


@program
def taken_off_a_list(x):
    a = []
    for i in range(6):
        a.append(x[i] ** 2)
        if a[-1] > 1:
            a.pop()
    return sum(a)


@program
def a_name_that_was_none(x):
    none = None
    y = x * 1.0
    if x[0] > 0:
        none = y
    none[1] = x[2] ** 2
    return np.sum(y)


@program
def written_into_an_argument(x, w):
    w[0] = x[0] ** 2
    return np.sum(w)


@refused("[SG102] this writes into memory that is also reached as `y` later")
def another_name_of_sums_along_a_given_axis(m, k):
    y = np.sum(m, axis=k - 1)
    v = y
    v *= 2.0
    return np.sum(y**2)


@program
def a_dict_that_makes_ones(x):
    c = defaultdict(lambda: 1.0)
    c["a"] += x[0]
    return c["a"] * c["b"]


@refused("[SG102] this writes into what a list may hold several times")
def a_row_held_twice(x):
    y = [[0.0] * 2] * 2
    y[0][0] = x[0] ** 2
    return y[1][0] * x[1]


@program
def selected_by_names(x):
    a = x > 0.6
    b = x > 0.1
    return np.sum(np.select([a, b], [np.sqrt(x), x], 0.0))


@program
def split_by_position(m):
    a, b = np.split(np.sqrt(m), [2], 1)
    return np.sum(a)


@program
def parts_by_a_mask(x):
    a, b = np.split(np.sqrt(x), 2)
    return np.sum(a[:2]) + np.sum(b[b > 0.5])


@program
def elements_from_the_end(x):
    r = np.sqrt(x)
    return r[-1] + r[-2] + r[0] + r[1]


@program
def a_part_where_it_counts(x):
    r = np.sqrt(x)
    a = r[:3]
    c = x[:3] > 0
    return np.sum(np.where(c, a, 0.0)) + r[3]


@program
def shares_along_a_given_axis(m, k):
    t = np.max(m, axis=k - 1, keepdims=True)
    e = np.exp(m - t)
    return np.sum(e / np.sum(e, axis=k - 1, keepdims=True) * m)


@program
def a_negative_shift(m):
    t = np.max(m)
    e = np.exp(np.negative(t - m))
    return np.log(np.sum(e)) + t


@program
def weighted_shares(x, w):
    t = np.max(x)
    p = np.exp(x - t)
    q = np.multiply(p, w)
    return np.sum(q) / np.sum(p, dtype=float)


@program
def two_shifts(m):
    t = np.max(m, axis=1, keepdims=True)
    u = t + np.max(m, axis=0)
    return np.sum(np.exp(m - t - np.max(m, axis=0) + u - t))


@program
def from_before_the_start(x):
    y = x * 1.0
    for i in range(-3, 3):
        y[i] = y[i] * x[0]
    return np.sum(y)


@program
def columns_before_the_diagonal(x):
    y = np.zeros((3, 2))
    for i in range(3):
        for j in range(i):
            y[i, j - 1] = x[i] * x[j]
    return np.sum(y * y)


@program
def repeated_places_minus_a_part(x):
    y = x * 1.0
    y[[0, 0, 1]] -= y[2:5]
    return np.sum(y**2)


@program
def minus_its_reverse(x):
    y = x * 1.0
    y[:] -= y[::-1] * 2
    return np.sum(y**2)


@refused("[SG102] this stores a value with a derivative into an array of integers")
def stored_into_integers(x):
    y = np.zeros(3, dtype=np.dtype("i4"))
    y[0] = x[0]
    return y[0] * x[0]


@refused("[SG102] this stores a value with a derivative into an array of integers")
def stored_into_a_named_type(x):
    kind = "int64"
    y = np.empty(3, kind)
    y[:] = x[:3]
    return np.sum(y) * x[0]


@refused("[SG102] this calculates with an array of objects")
def an_array_of_objects(x):
    y = np.array([x[0], x[1]], dtype=object)
    return np.sum(y * 2)


@program
def another_name_of_sums(m):
    y = np.sum(m, axis=0)
    v = y
    v += m[0] * 2
    return np.sum(y**2)


@program
def a_part_of_sums(m):
    y = np.sum(m, axis=(0,))
    r = y[0]
    r *= 2.0
    return np.sum(y**2)


@program
def over_constants(x):
    t = 0.0
    for v in OUT:
        v = v * x[0]
        t = t + v
    return t


@program
def an_entry_dropped(x):
    a = [x[0], x[1], x[2] * 2]
    _ = a.pop()
    return sum(a)


@program
def rows_with_a_star(m):
    t = 0.0
    for a, *b in m:
        t = t + np.sum(a * b[0])
    return t


@program
def one_memory_two_names(x):
    y = x * 1.0
    y += y[::-1]
    z = y
    y = y * 2
    z *= 2
    return np.sum(z) + np.sum(y)


@program
def normalised(m):
    mu = np.mean(m, axis=0)
    d = m - mu
    v = np.mean(d * d, axis=0)
    return np.sum(d / np.sqrt(v + 0.001) * m)


@program
def a_number_in_a_branch(s):
    y = np.log(s) if s > 0 else 0.0
    return np.where(s > 0, y, 1.0) * 2


@program
def repeated_elements_where_they_count(x):
    r = np.sqrt(x)
    i = np.array([0, 1, 1])
    a = r[i]
    return np.sum(np.where(x[i] > 0, a, 0.0)) + r[3]


@program
def one_row_twice_that_is_bound_anew(x):
    rows = [np.zeros(3)] * 2
    t = 0.0
    for i in range(2):
        t = t + np.sum(rows[i]) * x[0]
        rows = [x[:3] * 2, x[3:]]
    return t


@program
def one_row_twice_on_one_path(x):
    rows = [np.ones(3)] * 2
    if x[0] > 0:
        rows = [x[:3], x[3:] ** 2]
    return np.sum(rows[0] * rows[1])


@program
def the_same_entry_at_a_product(x):
    xs = [0.0, 0.0, 0.0]
    for i in range(3):
        xs[i * 0] = x[i] ** 2
    return xs[0] * x[5] + xs[1]


@program
def entries_at_a_remainder(x):
    xs = [0.0] * 6
    for i in range(2, 6):
        xs[i % 2] = x[i] ** 2
    return xs[0] * x[5] + xs[1]
