"""Programs that read parts of an array and write numbers of it, which the way back puts back."""

from __future__ import annotations

import numpy as np

from tests.programs.corpus import program


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
