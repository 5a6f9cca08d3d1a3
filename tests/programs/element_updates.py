"""Updates of elements one after another, as by `np.maximum.at`, and memory made by `np.ndarray`."""

from __future__ import annotations

import numpy as np

from tests.programs.corpus import program

PLACES = np.array([0, 1, 0])


@program("v")
def largest_at_places(x):
    y = x.copy()
    np.maximum.at(y, [0, 1], x[2:4])
    return np.sum(y * y)


@program("v")
def products_at_places_named_often(x):
    y = x.copy()
    np.multiply.at(y, PLACES, x[1:])
    return np.sum(y * y)


@program("v")
def one_factor_at_places_named_often(x):
    y = x.copy()
    np.multiply.at(y, PLACES, 2.0)
    return np.sum(y * y)


@program("v")
def products_at_pairs_of_places(x):
    y = np.outer(x, x)
    np.multiply.at(y, ([0, 1, 0], [1, 1, 1]), x[:3])
    return np.sum(y * y)


@program("v")
def smallest_at_rows(x):
    y = np.outer(x, x)
    np.minimum.at(y, [0, 1, 0], x * 0.3)
    return np.sum(y * y)


@program("v")
def quotients_at_columns(x):
    y = np.outer(x, x)
    np.divide.at(y, (slice(None), [0, 1, 0]), x[:3] + 3)
    return np.sum(y * y)


@program("v")
def signs_at_places(x):
    y = x * 1.0
    np.negative.at(y, [0, 1, 0, 2])
    return np.sum(y**3)


@program("v")
def products_where_a_mask_holds(x):
    y = x * 1.0
    np.multiply.at(y, x > 0, x[x > 0])
    return np.sum(y**3)


@program("v")
def product_at_one_place(x):
    y = x * 1.0
    np.multiply.at(y, 2, x[0])
    return np.sum(y**3)


@program("v")
def other_functions_at_places(x):
    y = x * 1.0
    np.hypot.at(y, [1, 1], x[0])
    np.logaddexp.at(y, [], x[:0])
    return np.sum(y**3)


@program("v")
def largest_of_groups(x):
    y = np.zeros(3)
    s = np.array([0, 1, 0, 2])
    for i in range(2):
        np.maximum.at(y, s, x * (i + 1))
    return np.sum(y)


@program("v")
def products_at_places_of_an_entry(x):
    a = {"y": x * 1.0}
    np.multiply.at(a["y"], [0, 0], x[:2])
    return np.sum(a["y"] ** 2)


@program("v")
def products_at_places_of_a_view(x):
    y = x * 1.0
    z = y[1:]
    np.multiply.at(z, [0, 0], x[:2])
    return np.sum(y**2)


@program("v")
def memory_of_floats(x):
    a = np.ndarray((4,), dtype=float)
    a[:] = x * 2
    return np.sum(a**2)


@program("v")
def memory_of_a_length(x):
    a = np.ndarray(4)
    a[:] = x * 2
    return np.sum(a**2)


@program("v")
def memory_like_another(x):
    a = np.ndarray(x.shape, x.dtype)
    a[:] = x * 2
    return np.sum(a**2)


@program("v")
def memory_by_options(x):
    a = np.ndarray(shape=(2, *x.shape), dtype=x.dtype)
    a[0] = x * 2
    a[1] = x
    return np.sum(a**2)


@program("v")
def element_read_before_and_after_it_moves_on(x):
    y = x * x
    s = 0.0
    for i in range(1, 4):
        a = y[i] * y[i - 1]
        s += a * y[i]
        j = i - 1
        s += np.sin(y[j]) * y[i]
    return s


@program("m")
def column_that_is_read_twice_and_taken_away(x):
    a = x.copy()
    q = np.zeros_like(a)
    s = 0.0
    for k in range(2):
        q[:, k] = a[:, k] * np.cos(a[:, k])
        for j in range(k + 1, 2):
            s += q[:, k] @ a[:, j]
            a[:, j] -= q[:, k] * s
    return np.sum(q[:, -1] * q[:, 0]) + s


@program("m")
def row_and_column_that_cross(x):
    s = 0.0
    for k in range(2):
        s += np.sum(x[k] * x[k, 0]) + np.sum(x[:2, k] ** 2)
        s += np.sum(np.exp(-x[k]) * x[k])
    return s


@program("v")
def element_times_itself_added_to_the_next(x):
    y = x * 1.0
    for i in range(3):
        y[i] = y[i] * y[i + 1]
        y[i + 1] += y[i] * y[i]
    return np.sum(y * y)


@program("m")
def sums_over_rows_that_are_overwritten(x):
    m = np.outer(x[0], x[0])
    s = 0.0
    for k in range(2):
        r = m[k] * m[:, k]
        s += np.sum(r * m[k])
        m[k] = r * 0.5
        s += np.sum(m[k] * m[k + 1])
    return s


@program("m")
def lengths_of_columns_that_are_scaled(x):
    a = x.copy()
    s = 0.0
    for k in range(2):
        s += np.sqrt(np.sum(a[:, k] * a[:, k]))
        a[:, k + 1] -= a[:, k] * s
        a[:, k] /= s
    return np.sum(a[0] * a[1]) + s


def _distances(x, n):
    if n <= 0:
        return np.abs(x[:, None] - x)
    return _distances(x, n - 1) * 2.0


@program("v")
def elements_of_what_a_helper_returns(x):
    c = _distances(x, 2)
    longest = np.ones((4, 4))
    longest[0, 0] = c[0, 0]
    for i in range(1, 4):
        longest[i, 0] = max(longest[i - 1, 0], c[i, 0])
    return longest[3, 0] * x[1]
