"""Helpers that clean arrays up before use, and flags asked together with arrays."""

from __future__ import annotations

import numpy as np

from tests.programs.corpus import program


@program("v", "v")
def missing_replaced(x, y):
    x, y = _treated(x, y, at_least=0.05)
    return np.mean((x - y) ** 2)


@program("v", "v")
def missing_left_out(x, y):
    x, y = _treated(x, y, positive=True)
    return np.mean(np.abs(x - y))


@program("v", "v")
def nothing_treated(x, y):
    x, y = _treated(x, y, None, False)
    return np.corrcoef(x, y)[0, 1]


def _treated(x, y, at_least=None, positive=False):
    x = np.copy(x)
    y = np.copy(y)
    keep = np.ones(y.size, dtype=bool)
    if at_least is not None:
        x[x < at_least] = at_least
        y[y < at_least] = at_least
    if positive and ((y < 0).any() or (x < 0).any()):
        with np.errstate(invalid="ignore"):
            below = x < 0
        keep = np.logical_and(keep, ~below)
    return x[keep], y[keep]


@program("v")
def bound_kept_in_array(x):
    z = _bounded(x, 0.3)
    return np.sum(z * x)


def _bounded(x, bound):
    with np.errstate(all="ignore"):
        z = np.sqrt(x * x + 1.0)
        low = np.array(x)
    low[x < 0.0] = bound
    low = low[:3]
    low[0] = z[1]
    return np.sum(low * z[:3])


@program("v")
def flag_and_any(x, strict=True):
    y = np.copy(x)
    y[0] = 0.5
    if strict and (y > 0).any():
        y[1] *= x[2]
    return np.sum(y * x)


@program("v")
def flag_or_all(x, strict=False):
    y = 2.0 * x
    y[1:] += x[0]
    done = strict or np.all(y > -10.0)
    return np.sum(y * x) if done else np.sum(y)


@program("v")
def default_or_own_memory(x, start=None):
    y = start or x
    z = np.copy(x)
    z[0] = y[0] * y[1]
    return np.sum(z * y)


class _OutOfRangeError(ValueError):
    def __init__(self, name, values):
        self.name = name
        self.values = values
        super().__init__(f"{name} is out of range: {values}")


@program("v")
def checked_by_own_exception(x):
    return np.sum(_in_range("x", x) * x)


def _in_range(name, values):
    with np.errstate(invalid="ignore"):
        if np.any(values > 1e6):
            raise _OutOfRangeError(name, values)
        return np.sqrt(values * values + 1.0)


_NUMBERS = (int, float)


@program("v")
def asked_by_a_lambda(x):
    return x[0] if _is_row(x) else np.sum(x * x)


def _is_row(values):
    with np.errstate(all="ignore"):
        plain = isinstance(values, (list, tuple))
        return plain and all(map(lambda v: isinstance(v, _NUMBERS), values))


@program("v", by="tape")
def cleared_by_a_lambda(x):
    rows = [x * 1.0, x * 2.0]
    _clear(rows)
    return np.sum(rows[0] * x)


def _clear(rows):
    with np.errstate(all="ignore"):
        return list(map(lambda row: row.fill(2.0), rows))


@program("v")
def own_memory_by_flag(x, flag=True):
    y = x * 2.0
    z = flag and y[1:]
    z[0] = 3.0
    return np.sum(y * x)


@program("v", "v")
def agreement_in_doubles(x, y):
    apart = np.sum((y - x) ** 2, axis=0, dtype=np.float64)
    return 1.0 - apart / np.sum((y - np.mean(y, dtype=float)) ** 2, dtype="float64")


@program("v")
def unit_of_doubles(x):
    row = np.array(x, dtype=np.float64, copy=True)
    row /= np.sqrt(np.dot(row, row))
    return np.sum(np.asarray(row, dtype=float)[1:] * np.cumsum(x[1:], dtype=np.double))
