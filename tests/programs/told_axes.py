"""Axes that helpers are told by their callers, and variables that hold axes."""

from __future__ import annotations

import numpy as np

from tests.programs.corpus import program


def _scaled(x, gain, axis):
    mean = x.mean(axis=axis, keepdims=True)
    away = x - mean
    return gain * away / np.sqrt((away**2).mean(axis=axis, keepdims=True) + 0.1)


@program("m", "v")
def of_one_call(m, v):
    return np.sum(np.sin(_scaled(m, v, axis=-1)))


@program("m", "v")
def of_two_calls(m, v):
    h = _scaled(m, v, 1)
    return np.sum(_scaled(np.tanh(h), v, 1) * h)


@program("m", "v")
def of_calls_along_other_axes(m, v):
    return np.sum(np.sin(_scaled(m, v, 0)) * _scaled(np.cos(m), v, axis=-1) * _scaled(m, v, (0, 1)))


@program("m", "v")
def held_by_a_variable(m, v):
    last = -1
    away = m - np.max(m, last, keepdims=True)
    return np.sum(v * np.exp(away) / np.sum(np.exp(away), axis=last, keepdims=True) ** 2)


def _counted_from_the_first(x, axis):
    if axis < 0:
        axis += x.ndim
    away = x - x.max(axis=axis, keepdims=True)
    return away / np.sum(np.exp(away), axis, keepdims=True)


@program("m")
def bound_anew_by_the_helper(m):
    return np.sum(_counted_from_the_first(m, -1) * _counted_from_the_first(np.sin(m), axis=-1))


@program("m", "n")
def chosen_by_a_branch(m, n):
    if n > 2:
        axis = 0
    else:
        axis = 1
    away = m - m.sum(axis=axis, keepdims=True)
    return np.sum(away * away * m)


def _logsumexp(x, axis):
    most = np.max(x, axis, keepdims=True)
    return most + np.log(np.sum(np.exp(x - most), axis, keepdims=True))


def _log_shares(x, dim):
    return x - _logsumexp(x, dim)


@program("m", "v")
def handed_on_by_a_helper(m, v):
    return np.sum(_log_shares(m, 1) * v) + np.sum(_log_shares(m * m, 0) * v)


def _folded(x, axis):
    if x.shape[axis] == 1:
        return np.sum(x**2)
    half = x.shape[axis] // 2
    return 2.0 * _folded(np.take(x, range(half), axis=axis), axis) + np.sum(x)


@program("m")
def of_a_helper_that_calls_itself(m):
    return _folded(m, 1) + _folded(np.sin(m), axis=0)


@program("m")
def several_in_a_tuple(m):
    axes = (0, 1)

    def centred(y):
        return y - y.mean(axis=axes, keepdims=True)

    return np.sum(centred(m) * centred(m * m))


def _total(x, axis=None, how="plain"):
    y = x if how == "plain" else x * x
    if axis is None:
        return np.sum(y)
    if axis == "rows":
        axis = 0
    return np.sum(np.sin(np.sum(y, axis=axis)))


@program("m")
def asked_whether_it_is_none(m):
    return _total(m) + _total(m, 1) * _total(m * m, axis=-1, how="square") + _total(m, "rows")
