"""Selections whose other elements have steep or undefined slopes."""

from __future__ import annotations

import numpy as np

from tests.programs.corpus import program


@program("v", warns=True)
def select_three(x):
    return np.sum(np.select([x > 1.0, x > 0.0], [np.log(np.abs(x)), np.sqrt(np.abs(x))], x**2))


@program("v", warns=True)
def select_steep(x):
    return np.sum(np.select([x > 0.5, x > 0.0], [np.log(x), np.sqrt(x)], 0.0))


@program("v", warns=True)
def nan_sum(x):
    return np.nansum(np.sqrt(x))


@program("v", warns=True)
def nan_mean_log(x):
    return np.nanmean(np.log(x) * x)


@program("v", warns=True)
def nan_max(x):
    return np.nanmax(np.sqrt(x))


@program("v", warns=True)
def fmax(x):
    return np.sum(np.fmax(np.sqrt(x), x))


@program("v", warns=True)
def finite(x):
    y = np.sqrt(x)
    return np.sum(y[np.isfinite(y)])


@program("v", warns=True)
def nan_to_num(x):
    return np.sum(np.nan_to_num(np.sqrt(x)))


@program("v", warns=True)
def compress(x):
    return np.sum(np.compress(x > 0, np.sqrt(x)))


@program("v", warns=True)
def compress_method(x):
    return np.sum(np.sqrt(x).compress(x > 0))


@program("v", warns=True)
def extract(x):
    return np.sum(np.extract(x > 0, np.log(x)))


@program("m", warns=True)
def compress_axis(m):
    return np.sum(np.compress([True, False, True, False], np.sqrt(np.abs(m)), axis=1))


@program("v", warns=True)
def choose(x):
    k = (x > 0).astype(int)
    return np.sum(np.choose(k, [x * 2, np.sqrt(x)]))


@program("v", warns=True)
def where_sort(x):
    y = np.where(x > 0, np.sqrt(x), 0.0)
    return np.sum(np.sort(y)[-2:])


@program("v", warns=True)
def sort_then_pick(x):
    y = np.sort(np.sqrt(x))
    return y[0] * y[1]


@program("v", warns=True)
def delete_masked(x):
    y = np.delete(np.sqrt(np.abs(x)), [0, 2])
    return np.sum(y * x[1])


@program("v", warns=True)
def take_along(x):
    y = np.sqrt(x)
    i = np.argsort(x)[2:]
    return np.sum(np.take_along_axis(y, i, 0))


@program("v", warns=True)
def roll_where(x):
    y = np.roll(np.sqrt(x), 1)
    return np.sum(np.where(np.roll(x, 1) > 0, y, 0.0))


@program("v", warns=True)
def diff_where(x):
    y = np.diff(np.log(x))
    return np.sum(np.where(np.isfinite(y), y, 0.0))


@program("v", warns=True)
def flip_where(x):
    y = np.flip(np.sqrt(x))
    return np.sum(np.where(x[::-1] > 0, y, 0.0))


@program("v", warns=True)
def reshape_where(x):
    y = np.sqrt(x).reshape(2, 2)
    return np.sum(np.where(x.reshape(2, 2) > 0, y, 0.0))


@program("v", warns=True)
def transposed_where(x):
    y = np.sqrt(x).reshape(2, 2).T
    return np.sum(np.where(x.reshape(2, 2).T > 0, y, 0.0))


@program("v", warns=True)
def sum_where(x):
    return np.sum(np.sqrt(x), where=x > 0)


@program("m", warns=True)
def max_axis(m):
    return np.sum(np.max(np.sqrt(np.abs(m)), axis=1))


@program("m", warns=True)
def amin_keep(m):
    return np.sum(np.amin(np.log(m), axis=-1, keepdims=True) * m)


@program("v", warns=True)
def loop_uses(x):
    y = np.sqrt(x)
    t = 0.0
    for i in range(4):
        if x[i] > 0:
            t += y[i] ** 2 * x[i]
    return t


@program("v", warns=True)
def loop_uses_masked(x):
    y = np.sqrt(x)
    t = 0.0
    for i in range(1, 3):
        t = t + np.sum(np.where(x > 0.5 * i, y, 0.0))
    return t


@program("v", warns=True)
def masked_item_assign(x):
    y = np.sqrt(x)
    y[x <= 0] = 0.0
    return np.sum(y * x)


@program(("m", 3, 3), "v")
def square_or_made_in_a_loop(m, x):
    total = 0.0
    for _ in range(len(m)):
        r = (m if m[0, 1] < 100 else np.ones((m.shape[0], len(m))) * 2) * 1.0
        total += np.sum(r * r)
    return np.sum(x) * total
