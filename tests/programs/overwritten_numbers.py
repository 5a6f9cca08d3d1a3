"""Arrays of which parts are read and single numbers overwritten, step by step."""

from __future__ import annotations

import numpy as np

from tests.programs.corpus import program


@program("m")
def product_with_the_rows_below(x):
    out = x.copy()
    rows, columns = x.shape
    for i in range(rows):
        for j in range(columns):
            out[i, j] += np.dot(x[i + 1 :, i], out[i + 1 :, j])
    return np.sum(out * out)


@program("m")
def rows_with_the_number_that_is_written(x):
    out = x.copy()
    rows, columns = x.shape
    for _ in range(2):
        for i in range(rows):
            for j in range(columns):
                out[i, j] = np.sin(np.sum(out[i, :] ** 2)) + x[i, j] * out[i, j]
    return np.sum(out**3)


def _length(v):
    return np.sum(v * v)


@program("m")
def part_for_a_helper(x):
    out = x.copy()
    rows, columns = x.shape
    for i in range(rows):
        for j in range(columns):
            out[i, j] = _length(out[i:, j]) * 0.1 + x[i, j]
    return np.sum(np.cos(out))


@program("v")
def written_by_an_index_that_changes(x):
    y = np.zeros(len(x))
    y[0] = x[0]
    for i in range(1, len(x)):
        k = i - 1
        y[i] = np.sum(y[:i] ** 2) + x[k]
        k = 0
        y[k] = y[k] * 0.5 + np.sum(y[1 : i + 1] ** 2) * 0.1
    return np.sum(y * y)


@program("m")
def several_numbers_of_one_trip(x):
    y = x.copy()
    for i in range(len(y)):
        y[i, -1] = np.sum(y[:, i] ** 2) * 0.2
        y[i, 2] += np.sum(y[i, :] ** 2) * 0.1
        y[i, -1] *= np.sum(y[:, 2] ** 3) * 0.1
    return np.sum(y**2)


@program("m")
def trips_that_write_nothing(x):
    out = x.copy()
    for i in range(3):
        for j in range(3):
            if (i + j) % 2:
                continue
            out[i, j] = np.sum(out[:, j] ** 2) * 0.3
            out[j, i] += np.sum(out[i, :] ** 3) * x[i, j]
    return np.sum(out**2)


@program("m")
def whole_array_and_a_column(x):
    out = x.copy()
    for i in range(3):
        z = np.sum(np.exp(0.1 * out) * out)
        column = out[:, 0]
        out[i, i] = z * 0.1 + np.sum(column * column)
    return np.sum(out**2)


@program("m")
def one_array_by_two_names(x):
    out = x.copy()
    other = out
    rows, columns = x.shape
    for i in range(rows):
        for j in range(columns):
            out[i, j] += np.dot(x[i + 1 :, i], out[i + 1 :, j])
        other[i, 0] *= 2.0
    return np.sum(other * out)


@program("m")
def columns_kept_in_a_list(x):
    out = x.copy()
    kept = []
    for i in range(3):
        column = out[i, 1:]
        kept.append(column)
        out[i, 1] = np.sum(column**2)
    return sum([np.sum(column**2) for column in kept])


@program("m")
def left_by_a_break(x):
    out = x.copy()
    for i in range(3):
        column = out[:, i]
        total = np.sum(np.tanh(column) ** 2)
        out[i, i] = total
        if total > 1.2:
            out[0, 0] = total * total
            break
        out[0, i] = total + out[0, 0]
    return np.sum(out**2)


@program("m")
def only_shapes_are_read_back(x):
    out = x.copy()
    for i in range(3):
        for j in range(1, 4):
            out[i, j] += np.sum(out[i, :j])
    return np.sum(out**2)


@program(("m", 4, 4), ("m", 4, 3))
def product_with_a_triangle_in_place(a, b):
    out = b.copy()
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] += a[i + 1 :, i] @ out[i + 1 :, j]
    return np.sum(out * out)


@program(("v", 5))
def sums_that_end_early(x):
    y = x.copy()
    for i in range(len(y)):
        part = y[i:]
        total = np.sum(part * part)
        y[i] = total
        if total > 1.0:
            break
    return np.sum(y * y)


@program(("v", 5))
def numbers_written_through_a_part(x):
    y = x.copy()
    rest = y[1:]
    total = 0.0
    for i in range(len(y) - 1):
        total = total + np.sum(y[i:] ** 2)
        y[i] = np.sum(rest * rest) * 0.3
        rest[i] = total if i % 2 else y[i] * 2
    return total + np.sum(rest)


@program(("v", 5))
def numbers_written_under_another_name(x):
    y = x.copy()
    other = y
    total = 0.0
    for i in range(1, len(y)):
        total = total + np.sum(np.sin(y[:i]))
        other[i] = total * other[i]
    kept = y.copy()
    y[0] = 5.0
    return total * np.sum(kept) + np.sum(y)


@program(("m", 4, 4), ("v", 4))
def sweeps_over_a_system(a, b):
    a = a + 4.0 * np.eye(4)
    x = b.copy()
    for _ in range(3):
        for i in range(4):
            rest = a[i, :i] @ x[:i] + a[i, i + 1 :] @ x[i + 1 :]
            x[i] = (b[i] - rest) / a[i, i]
    return np.sum(x * x)


@program(("v", 6))
def places_named_often(x):
    y = np.zeros(6)
    total = 0.0
    for n, i in enumerate([0, 1, 1, 2, 0]):
        total = total + np.sum(y[i:] ** 2)
        y[i] += x[n] * x[i]
        y[-1] = y[i]
    return total


@program(("v", 5), "n")
def numbers_put_where_a_test_says(x, most):
    y = x.copy()
    i = 0
    while i < len(y):
        if i < most:
            y[i] = np.sum(y[i:]) * 0.5
        else:
            y[i] = y[:i] @ y[:i]
        i += 1
    return np.sum(y**2)


@program(("v", 5))
def a_factor_in_place_of_a_copy(x):
    low = np.outer(x, x) + 6.0 * np.eye(5)
    for j in range(5):
        low[j, j] = np.sqrt(low[j, j] - low[j, :j] @ low[j, :j])
        for i in range(j + 1, 5):
            low[i, j] = (low[i, j] - low[i, :j] @ low[j, :j]) / low[j, j]
    return np.sum(np.tril(low))


@program("v")
def divisors_made_finite_in_place(x):
    c = np.ones(len(x))
    c[1] = np.inf
    y = np.exp(x)
    z = y / c
    np.nan_to_num(c, copy=False, posinf=5.0)
    return np.sum(c * z * y)


@program("v")
def divisors_made_finite_in_place_by_position(x):
    c = np.ones(len(x))
    c[1] = np.inf
    y = np.exp(x)
    z = y / c
    np.nan_to_num(c, False, 0.0, 5.0)
    return np.sum(c * z * y)


@program("v")
def divisors_made_finite_in_a_copy(x):
    c = np.ones(len(x))
    c[1] = np.inf
    y = np.exp(x)
    z = y / c
    d = np.nan_to_num(c, copy=True, posinf=5.0)
    return np.sum(d * z * y)


@program("m", "n", by="tape")
def rows_of_rows_added_to(x, n):
    a = x * 2.0
    while np.ndim(a) > n:
        a = a[0]
    b = a
    a += x[0, 0]
    a *= 3.0
    return np.sum(a * b * b)


@program("v")
def written_at_places_from_the_end(x):
    r = np.sqrt(np.abs(x))
    k = np.argsort(x) // 2
    r[~k] = 0.5
    return np.sum(r * r * x)


@program("v")
def made_finite_for_its_effect(x):
    c = x * 2.0
    c[0] = np.inf
    z = np.tanh(c)
    np.nan_to_num(c, copy=False, posinf=2.0)
    return np.sum(c * c * x * z)


@program("v")
def made_finite_in_an_expression(x):
    c = x * 2.0
    c[0] = np.inf
    z = np.tanh(c) * np.nan_to_num(c, False, 0.0, 2.0) + c
    return np.sum(z * x)


def _finite(c):
    np.nan_to_num(c[:2], copy=False, posinf=4.0)
    return c


@program("v")
def made_finite_by_a_helper(x):
    c = x * 2.0
    c[0] = np.inf
    d = _finite(c)
    return np.sum(c * d * x)


@program("v", by="tape")
def number_out_of_an_array_without_axes(x):
    c = np.array(x[0] * 2.0)
    d = c[()]
    d += x[1]
    return np.sum(c * d)
