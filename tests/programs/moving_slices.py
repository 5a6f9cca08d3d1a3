"""Slices between integers that change from trip to trip, and how long they are then."""

from __future__ import annotations

import numpy as np

from tests.programs.corpus import program


@program("m")
def symmetric(x):
    columns = x.shape[1]
    found = np.eye(columns)
    for i in range(columns - 1):
        found[i, i + 1 :] = x[:, i] @ x[:, i + 1 :]
        found[i + 1 :, i] = found[i, i + 1 :]
    return np.sum(found * found * found)


@program("m")
def square_of_others(x):
    rows, columns = x.shape
    found = np.eye(rows, columns)
    other = np.identity(rows)
    for i in range(rows):
        found[i, i:] += x[i, i:] * x[0, i:]
        other[i, i:] += x[i, i:rows]
    return np.sum(found * found) + np.sum(other * other * other)


@program("v", "n")
def one_of_the_trip_before(x, n):
    total = 0.0
    row = x[3:]
    for i in range(n):
        total = total + np.sum(row[:1] * x[3 - i :])
        row = x[3 - i :]
    return total


@program("v", "n")
def one_of_the_first_trip(x, n):
    total = 0.0
    for i in range(n):
        if i == 0:
            row = x[3 - i :]
        total = total + np.sum(row * x[3 - i :])
    return total


@program("v", "n")
def some_of_trips_before(x, n):
    total = 0.0
    row = x[3:]
    for i in range(n):
        j = 3 - i
        if i % 2 == 0:
            row = x[j:]
        total = total + np.sum(row[:1] * x[j:])
    return total


@program("v", "n")
def one_kept(x, n):
    for i in range(n):
        row = x[3 - i :]
        if i == 0:
            keep = row
    return np.sum(keep * x[3 - i :])


@program("v")
def one_before_a_counter_moves(x):
    i = 3
    total = 0.0
    row = x[i:]
    while i > 0:
        i = i - 1
        total = total + np.sum(row * x[i:])
    return total


@program("v", "n")
def one_moved_parameter(x, n):
    row = x[n:]
    n = n - 1
    return np.sum(row * x[n:])


def _tail(x, i):
    return x[i:]


@program("v", "n")
def one_of_a_call(x, n):
    total = 0.0
    for i in range(1, n):
        total = total + np.sum(_tail(x, 3) * x[i:])
    return total


@program("v", "n")
def one_of_a_list(x, n):
    rows = []
    for i in range(n):
        rows.append(x[3 - i :])
    total = 0.0
    for i in range(n):
        total = total + np.sum(rows[0] * x[3 - i :])
    return total


@program("v", "n")
def stored_wider(x, n):
    out = np.zeros((5, 4))
    for i in range(n):
        out[i, 3 - i :] = x[3 - i : 4 - i]
    return np.sum(out * out * np.arange(20.0).reshape(5, 4))


@program("v", "n")
def stored_of_the_trip_before(x, n):
    out = np.zeros((5, 4))
    row = x[3:]
    for i in range(n):
        out[i, 3 - i :] = row[:1]
        row = x[3 - i :]
    return np.sum(out * out * np.arange(20.0).reshape(5, 4))


@program("v", "n")
def negative_bounds(x, n):
    total = 0.0
    for i in range(n):
        total = total + np.sum(x[-i:]) * np.sum(x[i:] * x[: -i or None])
    return total


@program("m", "v")
def updated_by_products(x, y):
    left, right = y[:3] * 2.0, y * 3.0
    left += x @ y
    right += y[:3] @ x
    right[...] += np.dot(left, x)
    return np.sum(left) * np.sum(right * right)


@program("v", ("v", 1))
def updated_by_one(x, y):
    out = np.sin(x)
    out += y
    out[1:] -= y
    return np.sum(out * out)


@program(("v", 5), "n")
def windows_added(x, n):
    out = np.zeros(3)
    for i in range(n):
        out += x[i : i + 3] * x[0]
        out -= x[i : i + 1] * x[1]
    return np.sum(out * out)


@program("m", "M", "n")
def products_of_stacks_added(x, y, n):
    stack = np.ones((2, 1, 1)) * x
    out = np.zeros((2, 3, 2))
    for i in range(n):
        out += stack @ y
        out *= (stack @ y)[:, :1, :]
    return np.sum(out * out)


@program("v", ("v", 2))
def shorter_by_two(x, y):
    inner = x[1:-1] * y
    steps = (x[1:] - x[:-1])[1:-1] * inner[:1]
    return np.sum(inner * inner) + np.sum(steps * y[1:])
