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
