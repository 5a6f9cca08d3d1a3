"""Programs whose way back asks for less than values: for orders, lengths, or one of two pieces."""

from __future__ import annotations

import numpy as np

from tests.programs.corpus import program


@program("m")
def shortest_ways(x):
    paths = x * x + 0.1
    for k in range(paths.shape[0]):
        for i in range(paths.shape[0]):
            paths[i] = np.minimum(paths[i], paths[i, k % paths.shape[1]] + paths[k])
    return np.sum(paths * paths)


@program("v")
def order_of_two_that_are_read_again(x):
    h = x
    for k in range(3):
        a = np.sin(h + k)
        b = np.cos(x * h)
        h = np.maximum(a, b) * np.minimum(b, a)
    return np.sum(h)


@program("v")
def order_under_a_name_of_ours(x):
    order = x * 2.0
    order_of = order + 1.0
    for _ in range(3):
        a = order * order_of
        b = order - 1.0
        order = np.minimum(a, b)
    return np.sum(order)


@program("m")
def order_of_a_row_and_a_column(x):
    h = x
    for _ in range(3):
        row = np.sum(h, axis=0)
        column = h[:, :1] * 2.0
        h = np.maximum(row, column) * 0.5 + x
    return np.sum(h * h)


@program("v")
def order_in_a_branch(x):
    h = x
    for k in range(4):
        if k % 2:
            a = h * h
            b = x - h
            h = np.maximum(a, b)
        else:
            h = np.minimum(h, x[0])
    return np.sum(h)


@program(("v", 2))
def tree_of_prices(x):
    values = [max(x[0] * i - 0.5, 0.0) for i in range(6)]
    for step in range(5, 0, -1):
        for i in range(step):
            values[i] = 0.5 * values[i + 1] + 0.4 * values[i]
    return values[0] * x[1]


@program(("v", 2))
def tree_that_may_be_left(x):
    values = [max(x[0] * i - 0.5, x[1]) for i in range(6)]
    for step in range(5, 0, -1):
        for i in range(step):
            values[i] = max(0.5 * values[i + 1] + 0.4 * values[i], x[1] * values[i])
    return values[0]


@program(("v", 3))
def numbers_that_grow_later(x):
    values = [x[0] * i for i in range(5)]
    values.append(x[1])
    for i in range(5):
        values[i] = values[i + 1] * 2.0 + values[i]
    return values[0] + values[4]


@program(("v", 3))
def numbers_left_out_by_a_branch(x):
    values = []
    for i in range(5):
        if i != 2:
            values.append(x[0] * i)
    for i in range(len(values) - 1):
        values[i] = values[i + 1] * 2.0 + values[i]
    return values[0] + values[1]


@program(("v", 3))
def count_that_is_bound_anew(x):
    n = 3
    values = []
    for i in range(n):
        values.append(x[0] * i)
    n = n + 2
    for i in range(len(values) - 1):
        values[i] = values[i + 1] * 2.0 + values[i]
    return values[0] * n


@program("v")
def history_that_nobody_reads(x):
    history = []
    y = x
    for _ in range(3):
        y = y * np.sin(y)
        history.append(y)
    return np.sum(y)


@program("v")
def state_behind_an_input(x):
    state = np.zeros(2)
    weights = np.outer(x[:2], np.concatenate([x, state + 0.3]))
    for _ in range(3):
        state = np.tanh(weights @ np.concatenate([x, state]))
    return np.sum(state)


@program("v")
def pieces_without_elements(x):
    nothing = x[:0]
    first = np.concatenate([nothing * 2.0, x * 3.0])
    second = np.concatenate([x * x, nothing])
    return np.sum(first * second)


@program("v", ("m", 3, 3))
def sums_of_outer_products(x, a):
    y = x[:3]
    return np.sum((a @ y) * np.sin(y @ a)) - np.cos(y) @ (a @ (y * y))


@program("v")
def product_compared_with_what_the_trip_before_left(x):
    d = np.outer(x, x)
    for k in range(4):
        d = np.maximum(d, np.nan_to_num(d.T) * x[k])
    return np.sum(d)


@program("v")
def two_that_change_after_they_were_compared(x):
    d = x * 1.0
    e = x * x
    for k in range(4):
        m = np.minimum(d, e)
        d, e = e * x[k], m + d
    return np.sum(d * e)


@program("v")
def compared_in_a_loop_in_a_loop(x):
    d = x * 1.0
    for k in range(3):
        for j in range(2):
            d = np.maximum(d, x * x[j] + k) * 0.5
        d = np.minimum(d, x)
    return np.sum(d)


@program("v")
def compared_on_two_ways(x):
    d = x * 1.0
    for k in range(3):
        if x[k] > 0:
            d = np.maximum(d, np.sin(d) * x)
        else:
            e = d * 2.0
            d = np.minimum(e, d * x[0])
    return np.sum(d)


@program("v")
def compared_in_a_loop_that_waits(x):
    d = x * 1.0
    i = 0
    while i < 3:
        w = d[::-1] * x
        d = np.minimum(w, np.maximum(d, w * 0.5))
        i += 1
    return np.sum(d * x)
