"""Values of which it is known how many axes they have, and how long: windows, solutions, tuples."""

from __future__ import annotations

import numpy as np

from tests.programs.corpus import program

SEEN = np.array([[0.2, -0.1], [0.5, 0.3]])
PLACES = np.array([2, 0, 2, 1])
STARTS = np.array([0, 2, 2, 4])


@program(("m", 3, 3), ("m", 3, 3))
def filter_of_what_is_seen(moves, noise):
    sees = np.eye(2, 3)
    state, spread = np.zeros(3), np.eye(3)
    total = 0.0
    for seen in SEEN:
        state = moves @ state
        spread = moves @ spread @ moves.T + noise @ noise.T
        off = seen - sees @ state
        known = sees @ spread @ sees.T + np.eye(2)
        gain = spread @ sees.T @ np.linalg.inv(known)
        state = state + gain @ off
        spread = spread - gain @ sees @ spread
        total += off @ np.linalg.solve(known, off) + np.log(np.linalg.det(known))
    return total


@program(("m", 5, 6), ("m", 2, 3))
def windows_under_a_kernel(image, kernel):
    height, width = kernel.shape
    rows, columns = image.shape[0] - height + 1, image.shape[1] - width + 1
    out = np.zeros((rows, columns))
    for i in range(rows):
        for j in range(columns):
            out[i, j] = np.sum(image[i : i + height, j : j + width] * kernel)
    return np.sum(out * out)


@program(("v", 6), ("v", 3))
def windows_that_leave_the_array(x, kernel):
    total = 0.0
    for i in range(len(x)):
        part = x[i : i + len(kernel)]
        total = total + np.sum(part * kernel[: len(part)]) * np.sum(part)
    return total


@program(("v", 3), ("v", 2))
def last_window_of_one_entry_is_spread(x, kernel):
    total = 0.0
    for i in range(len(x)):
        total = total + np.sum(x[i : i + 2] * kernel)
    return total


@program(("v", 5))
def windows_around_each_entry(x):
    total = 0.0
    for i in range(1, len(x) - 1):
        total = total + np.sum(x[i - 1 : i + 2] * np.array([0.5, 1.0, 0.25]) * x[1:4])
    return total


@program(("w", (3, 4), (4,), (4, 2), (2,)), ("m", 5, 3))
def layers_in_a_tuple(layers, x):
    w, b, u, c = layers
    return np.sum(np.tanh(np.tanh(x @ w + b) @ u + c))


@program(("w", (3, 4), (4,), (4, 4)), ("v", 3))
def part_of_a_tuple(layers, x):
    first, rest = layers[0], layers[1:]
    hidden = np.tanh(x @ first + rest[0])
    return np.sum(rest[1] @ hidden) + np.sum(layers[2] * layers[1])


@program("t", ("v", 3))
def entry_of_a_tuple_updated(pair, x):
    first, second = pair
    second = second.copy()
    second += first
    second[0] = x[0] * first[1]
    return np.sum(second * x)


@program(("m", 3, 4), ("v", 4))
def entries_that_come_again(table, x):
    total = 0.0
    for place in PLACES:
        total = total + np.sum(table[place] * x) * table[place, 1]
    return total


@program(("v", 4), ("v", 4))
def rows_of_a_sparse_matrix(values, x):
    out = np.zeros(3)
    for i in range(3):
        places = PLACES[STARTS[i] : STARTS[i + 1]]
        out[i] = values[STARTS[i] : STARTS[i + 1]] @ x[places]
    return np.sum(out * out)


@program(("m", 3, 3), ("m", 3, 3))
def triangles_that_grow(a, b):
    c = a.copy()
    for i in range(a.shape[0]):
        for k in range(b.shape[1]):
            c[i, : i + 1] += a[: i + 1, k] * b[i, k] + b[: i + 1, k] * a[i, k]
    return np.sum(c * c)


@program(("v", 3), "s")
def rows_turned_by_an_angle(x, angle):
    cos, sin = np.cos(angle), np.sin(angle)
    turn = np.array([[cos, -sin], [sin, cos]])
    return np.sum((turn @ x[:2]) ** 3)


@program(("v", 3), ("v", 3))
def slopes_of_what_is_stacked(x, y):
    rows = np.stack([x * y, np.sin(x), y * y])
    return np.sum(rows * rows * rows[::-1]) + np.trace(rows)


def _stacked(numbers, k):
    if k > 5:
        return np.zeros(3)
    rows = np.stack(numbers)
    for _ in range(2):
        rows = rows * 1.0
    return rows


@program("v")
def list_that_a_helper_stacks(x):
    numbers = []
    for i in range(3):
        numbers.append(np.sum(x * i))
    return np.sum(_stacked(numbers, 1) ** 2)
