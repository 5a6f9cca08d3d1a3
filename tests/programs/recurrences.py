"""Programs whose loops fill arrays and read again what they have written."""

from __future__ import annotations

import math

import numpy as np

from tests.programs.corpus import program


@program("s", "s")
def logistic_map(x, r):
    y = np.zeros(6)
    y[0] = x
    for i in range(1, 6):
        y[i] = y[i - 1] + 0.3 * r * y[i - 1] * (1.0 - math.tanh(y[i - 1]))
    return np.sum(y**2)


@program("s", "s")
def two_steps_back_from_an_array(x, k):
    y = np.empty(7)
    y[0] = x
    y[1] = k
    for i in range(2, 7):
        y[i] = math.sin(y[i - 1]) * y[i - 2] + k
    return y[6] * y[3]


@program("v")
def first_element_reads_the_last(x):
    y = x * 2.0
    for i in range(4):
        y[i] = y[i - 1] * x[i]  # at first the last one, which is written later
    return np.sum(y**2)


@program("v")
def elements_read_ahead(x):
    y = x**2
    for i in range(3):
        y[i] = y[i + 1] * y[i] * x[i]
    return np.sum(y**3)


@program("v")
def filled_and_scaled_afterwards(x):
    y = np.zeros(4)
    y[0] = x[0]
    for i in range(1, 4):
        y[i] = y[i - 1] * x[i] + np.sin(y[i - 1])
    y *= 2.0
    y[1] = x[2]
    return np.sum(y**2)


@program("v")
def filled_twice(x):
    y = np.ones(4)
    total = 0.0
    for _ in range(2):
        for i in range(1, 4):
            y[i] = y[i - 1] * x[i] * math.cos(y[i - 1])
        total = total + np.sum(y**2)
    return total


@program("v")
def filled_by_two_loops(x):
    y = np.ones(4)
    for i in range(1, 4):
        y[i] = y[i - 1] * x[i] + y[i - 1] ** 2
    for i in range(1, 4):
        y[i] = y[i - 1] * y[i] * x[0]
    return np.sum(y)


@program("v")
def filled_through_a_view(x):
    y = np.ones(4)
    z = y[1:]
    for i in range(1, 4):
        y[i] = y[i - 1] * x[i] + y[i - 1] ** 2
        z[0] = x[0] * z[0]
    return np.sum(y**2)


@program("v")
def filled_by_steps_of_two(x):
    y = np.ones(4)
    for i in range(1, 4, 2):
        y[i] = y[i - 1] * x[i] * y[i - 1]
    return np.sum(y**2)


@program("v")
def filled_backwards(x):
    y = np.ones(4)
    for i in range(3, 0, -1):
        y[i - 1] = y[i] * x[i] * math.exp(-y[i])
    return np.sum(y**2)


@program("m", "v")
def soft_alignment(d, x):
    r = np.zeros((3, 4))
    r[0, 0] = d[0, 0]
    for i in range(1, 3):
        r[i, 0] = r[i - 1, 0] * x[0] + d[i, 0]
        for j in range(1, 3):
            least = -np.log(np.exp(-r[i - 1, j]) + np.exp(-r[i, j - 1]) + np.exp(-r[i - 1, j - 1]))
            r[i, j] = d[i, j] + least
    return r[2, 2] + np.sum(r)


@program("m", "v")
def states_by_rows(a, x):
    path = np.empty((4, len(x)))
    path[0] = x
    for i in range(1, 4):
        path[i] = np.tanh(path[i - 1]) * 0.5 + path[i - 1] ** 2 * a[0, 0]
    return np.sum(path**2)


@program("m", "v")
def solved_from_the_top(a, b):
    n = 3
    x = np.zeros(n)
    for i in range(n):
        s = b[i]
        for j in range(i):
            s = s - a[i, j] * x[j] * math.sin(x[j])
        x[i] = s / (2.0 + a[i, i] ** 2)
    return np.sum(x**2)


@program("v")
def index_moved_inside(x):
    y = np.ones(6)
    for i in range(1, 4):
        y[i] = y[i - 1] * x[i] * y[i - 1]
        i = i + 1
        y[i] = y[i] * x[0]
    return np.sum(y**2)


@program("v")
def list_summed_after_it_is_filled(x):
    parts = []
    for i in range(4):
        parts.append(x[i] * x[3 - i])
    total = 0.0
    for i in range(len(parts)):
        total += np.tanh(parts[i]) * parts[i]
    return total


@program("v")
def list_summed_and_changed_afterwards(x):
    parts = []
    for i in range(4):
        parts.append(x[i] * x[3 - i])
    total = 0.0
    for i in range(len(parts)):
        total += np.tanh(parts[i]) * parts[i]
    parts[0] = x[1]
    parts.append(x[2])
    return total + sum(parts)


@program("v")
def branch_for_the_gradient_alone(x):
    scale = 0.0
    if x[0] > 0:
        half = 0.5 * x[1]
        scale = half * np.sin(half)
    elif x[1] > 0:
        scale = x[2] * x[1]
    x = x * 2.0
    return np.sum(x) + scale


@program("v", "v")
def numbers_stored_for_good(x, w):
    y = np.zeros((4, 4))
    total = 0.0
    for i in range(4):
        for j in range(4):
            t = np.exp(x[i] * w[j])
            y[i, j] = t
            total = total + t**3
    return total + np.sum(y**2)


@program("v")
def numbers_stored_again_in_each_round(x):
    y = np.zeros(4)
    total = 0.0
    for k in range(3):
        for i in range(4):
            t = np.exp(x[i] * k)
            y[i] = t
            total = total + t**3
    return total + np.sum(y**2)


@program("v")
def numbers_stored_as_rows_and_as_whole_numbers(x):
    rows, whole = np.zeros((4, 2)), np.zeros(4, int)
    total = 0.0
    for i in range(4):
        t = np.exp(x[i])
        rows[i] = t
        whole[i] = int(t)
        total = total + t**3
    return total + np.sum(rows**2) + whole[0]


@program("v", "v")
def differences_of_differences(x, w):
    total = 0.0
    for _ in range(3):
        total = total - (x - w) @ (x * total - w)
        x = w - x
    return total


@program("m", "m")
def largest_so_far_along_a_path(a, b):
    """As in a discrete distance of Fréchet: `max` and `min` return one of what they are given."""
    far = np.abs(a - b)
    path = -np.ones((3, 4))
    path[0, 0] = far[0, 0]
    for i in range(1, 3):
        path[i, 0] = max(path[i - 1, 0], far[i, 0])
    for j in range(1, 4):
        path[0, j] = max(path[0, j - 1], far[0, j])
    for i in range(1, 3):
        for j in range(1, 4):
            before = min(path[i - 1, j], path[i - 1, j - 1], path[i, j - 1])
            path[i, j] = max(before, far[i, j])
    return path[2, 3] + np.sum(path)
