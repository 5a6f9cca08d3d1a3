"""Programs whose helpers write into memory that carries no derivative.

Each must leave behind what the function does, in each mode.
"""

from __future__ import annotations

import numpy as np

from tests.traps.state import settings as m
from tests.traps.state.settings import (
    program,
)


# -- own memory written by helpers
@program()
def weights_scaled(x):
    w = np.linspace(1.0, 2.0, 3)
    y = w * x * x
    v = m.scaled_in_place(w, 2.0)
    return np.sum(y * v * x * w)


@program()
def weights_scaled_in_a_loop(x):
    w = np.linspace(1.0, 2.0, 3)
    y = x
    for _ in range(3):
        y = y * np.sin(w) * m.scaled_in_place(w, 1.5)
    return np.sum(y * w)


@program()
def weights_viewed(x):
    w = np.linspace(1.0, 2.0, 3)
    v = w[::-1]
    y = np.sin(x) * v
    w[0] = 7.0
    m.scaled_in_place(v, 3.0)
    return np.sum(y * v * x * w)


@program()
def weights_in_a_list(x):
    ws = [np.ones(3), np.ones(3) * 2.0]
    y = x
    for w in ws:
        y = y * np.sin(x) * w
        m.scaled_in_place(w, 3.0)
    for w in ws:
        y = y * w
    return np.sum(y)


@program()
def weights_in_a_branch(x):
    w = np.ones(3)
    y = w * x * x
    if x[0] > -100.0:
        m.scaled_in_place(w, 2.0)
    return np.sum(y * w * x)


@program()
def argument_and_table(x, w=None):
    w = np.ones(3) if w is None else w
    y = x * w * x
    w *= 2.0
    return np.sum(y * w)


# -- own memory, harder
def _total(w):
    return float(np.sum(w))


@program()
def own_total_between(x):
    w = np.ones(3)
    a = _total(w)
    m.scaled_in_place(w, 3.0)
    b = _total(w)
    m.scaled_in_place(w, 2.0)
    return np.sum(x * x * a * b * np.sin(x)) * _total(w)


@program()
def own_total_in_a_loop(x):
    w = np.ones(3)
    y = x * 1.0
    for k in range(3):
        y = y * np.sin(x) * _total(w)
        m.scaled_in_place(w, 1.0 + k)
        y = y + np.sum(w) * x
    return np.sum(y)


@program()
def own_total_of_a_view_in_a_loop(x):
    w = np.ones(3)
    v = w[1:]
    y = x * 1.0
    for k in range(3):
        a = np.sum(v)
        m.scaled_in_place(w, 2.0)
        y = y * np.sin(x) * a * np.sum(v)
    return np.sum(y * w)


def _head(w):
    return w[:2]


@program()
def helper_that_returns_a_view(x):
    w = np.linspace(1.0, 2.0, 3)
    h = _head(w)
    y = np.sin(x[:2]) * h
    m.scaled_in_place(h, 3.0)
    return np.sum(y * h) * np.sum(w * x)


def _put(d, k, v):
    d[k] = v
    return d


@program()
def own_dict_by_a_writer(x):
    d = {"a": 2.0}
    y = np.sin(x) * d["a"]
    _put(d, "a", 5.0)
    _put(d, "b", 3.0)
    return np.sum(y * x * d["a"] * d["b"])


def _push(row, v):
    row.append(v)


@program()
def own_list_by_a_writer(x):
    row = [2.0]
    y = np.sin(x) * row[-1]
    _push(row, 5.0)
    for v in row:
        y = y * v * x
    return np.sum(y) * len(row)


@program()
def own_index_array(x):
    idx = np.array([0, 1, 2])
    y = x[idx] * np.sin(x)
    _put(idx, 0, 2)
    return np.sum(y * x[idx])


@program()
def own_mask(x):
    mask = np.array([True, False, True])
    y = np.where(mask, x * x, x)
    _put(mask, 1, True)
    return np.sum(y * np.where(mask, np.sin(x), x)) + np.sum(x[mask] ** 3)


def _swap(a, b):
    t = a.copy()
    a[:] = b
    b[:] = t


@program()
def own_swapped(x):
    a, b = np.ones(3), np.ones(3) * 3.0
    y = np.sin(x) * a
    _swap(a, b)
    z = y * a * x
    _swap(a, b)
    return np.sum(z * a + y * b)


def _down(w, n):
    if n > 0:
        w[n - 1] += n
        _down(w, n - 1)


@program()
def own_by_recursion(x):
    w = np.ones(3)
    y = np.sin(x) * w
    _down(w, 3)
    return np.sum(y * w * x)


@program()
def own_in_a_while(x):
    w = np.ones(3)
    y = x * 1.0
    while np.sum(w) < 20.0:
        y = np.sin(y) * w + x
        m.scaled_in_place(w, 2.0)
    return np.sum(y * w)


@program()
def own_in_a_try(x):
    w = np.ones(3)
    y = np.sin(x) * w
    try:
        m.scaled_in_place(w, 2.0)
        y = y * w
        _put(w, 7, 1.0)
    except IndexError:
        m.scaled_in_place(w, 3.0)
    return np.sum(y * w * x)


@program()
def own_by_conditional(x):
    a, b = np.ones(3), np.full(3, 2.0)
    c = a if x[0] > 0.5 else b
    y = np.sin(x) * a * b
    m.scaled_in_place(c, 4.0)
    return np.sum(y * a * b * c)


@program()
def own_in_a_comprehension(x):
    w = np.ones(3)
    ys = [np.sum(x * w * m.scaled_in_place(w, 2.0)) for _ in range(3)]
    return ys[0] * ys[1] + ys[2] * np.sum(w)


@program()
def own_handed_back(x):
    w = np.ones(3)
    v = m.scaled_in_place(w, 2.0)
    y = np.sin(x) * v
    u = m.scaled_in_place(v, 3.0)
    return np.sum(y * u * w * v)


@program()
def own_object(x):
    b = m.Box()
    y = np.sin(x) * b.table
    m.scaled_in_place(b.table, 2.0)
    b.scale = 7.0
    return np.sum(y * b.table * x) * b.scale


@program()
def own_frozen_before(x):
    w = np.ones(3)
    before = w.copy()
    y = w * x * np.sin(x)
    m.scaled_in_place(w, 2.0)
    return np.sum(y * before * w)


@program()
def own_shape_changed(x):
    w = np.ones((3, 1))
    y = np.sin(x) * w[:, 0]
    v = w.reshape(3)
    m.scaled_in_place(v, 2.0)
    return np.sum(y * w.ravel() * x)


@program()
def own_joined_with_varied(x):
    w = np.ones(3)
    m.scaled_in_place(w, 2.0)
    rows = [w, x]
    m.scaled_in_place(w, 2.0)
    return np.sum(rows[0] * rows[1] * np.sin(rows[1]))


@program()
def own_becomes_varied(x):
    w = np.ones(3)
    y = np.sin(x) * w
    m.scaled_in_place(w, 2.0)
    w[0] = x[0]
    z = y * w
    m.scaled_in_place(w, 2.0)
    return np.sum(z * w)


@program()
def own_read_later_by_loop(x):
    w = np.arange(3.0)
    t = 0.0
    for i in range(3):
        t = t + np.sin(x[i]) * w[i] * x[i]
        w[i] += 1.0
        m.scaled_in_place(w, 1.5)
    return t * np.sum(w * x)


def _with_out(a, out):
    np.multiply(a, 2.0, out=out)
    return out


@program()
def own_out(x):
    w = np.ones(3)
    b = np.zeros(3)
    y = np.sin(x) * b + x
    _with_out(w, b)
    y = y * b
    _with_out(b, w)
    return np.sum(y * w * b)
