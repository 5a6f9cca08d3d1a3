"""Programs whose helpers validate, convert and scale, as those of large libraries do."""

from __future__ import annotations

import functools
from typing import Union

import numpy as np

from tests.programs.corpus import program

FLOAT = np.float64
FLOATS = Union[np.float16, np.float32, np.float64]  # noqa: UP007 - its `__args__` are asked for
SCALE = "reference"


def _or_else(value, default):
    if value is None:
        return default
    return value


def _attest(condition, message=""):
    if not condition:
        raise AssertionError(message)


def _as_array(a, dtype=None):
    dtype = _or_else(dtype, FLOAT)
    _attest(dtype in FLOATS.__args__, "no type of floats")
    return np.asarray(a, dtype)


def _as_float(a, dtype=None):
    dtype = _or_else(dtype, FLOAT)
    _attest(dtype in FLOATS.__args__, "no type of floats")
    if isinstance(a, np.ndarray) and a.size == 1 and a.ndim != 0:
        return _as_array(a, dtype)
    return dtype(a)


def _scaled(a, by=100.0, dtype=None):
    dtype = _or_else(dtype, FLOAT)
    a = _as_array(a, dtype)
    if SCALE == "1":
        a /= _as_array(by)
    return a


@program("v")
def converted_to_an_array_and_back(x):
    return _as_float(np.sum(_as_float(_as_array(x * x))))


@program("v")
def scaled_and_converted(x):
    return np.sum(_as_float(_scaled(np.sin(x))))


@program("v", "v")
def distance_of_validated_vectors(x, y):
    return _as_float(np.linalg.norm(_as_array(x) - _as_array(y), axis=-1))


@program("s", "s")
def quotient_of_converted_numbers(x, y):
    return _as_float(x * 2.0) / _as_float(y) + _as_float(_as_float(x) * _as_float(y))


@program("v", "s")
def conversions_of_conversions(x, y):
    z = _scaled(x * 1.0) * _as_float(y)
    y = _as_float(np.where(_as_array(z) > 0.1, _as_array(z) ** 2, _scaled(3.0 * _as_float(z))))
    return np.sum(y * x)


MODE = "ignore"


def _mode():
    return MODE


def _set_mode(mode):
    global MODE
    MODE = _validated(mode, ("ignore", "zero"))


class Dividing:
    def __init__(self, mode=None):
        self._mode = _or_else(mode, _mode())
        self._before = _mode()

    def __enter__(self):
        _set_mode(self._mode)
        return self

    def __exit__(self, *args):
        _set_mode(self._before)


@functools.cache
def _validated(method, valid, message='"{0}" is none of {1}!', lower=True):
    valid = tuple([str(item) for item in valid])
    if method.lower() not in [item.lower() for item in valid]:
        raise ValueError(message.format(method, valid))
    return method.lower() if lower else method


def _divided(a, b):
    a, b = _as_array(a), _as_array(b)
    mode = _validated(MODE, ("Ignore", "Zero"))
    if mode == "ignore":
        c = a / b
    elif mode == "zero":
        with np.errstate(divide="ignore", invalid="ignore"):
            c = np.nan_to_num(a / b, nan=0, posinf=0, neginf=0)
    return c


@program("v", "v")
def quotient_by_a_mode_of_the_module(x, y):
    return np.sum(_as_float(_divided(x, 2.0 + y * y)))


@program("v", "v")
def quotient_under_a_manager_that_sets_the_mode(x, y):
    with Dividing("zero"):
        z = _divided(x, _as_float(np.where(y > 0.0, y, 0.0)))
    return np.sum(z * _divided(x, 1.0 + y * y))


@program("v")
def option_chosen_by_the_mode(x):
    scale = _scaled(_or_else(None, 100.0 if _mode() == "ignore" else 1.0))
    scale /= 2.0
    return _as_float(np.sum(x * scale))


def _halve(a, b):
    for y in [a, b]:
        y *= 0.5


def _halve_all(arrays):
    for y in list(arrays):
        y *= 0.5


def _without_first(values):
    rest = list(values)
    rest.pop(0)
    return rest


@program("v")
def helper_that_writes_into_a_list_of_its_arguments(x):
    a = x * 1.0
    b = x * x
    before = np.sum(a * b)
    _halve(a, b)
    return before * np.sum(a * b)


@program("v")
def helper_that_writes_into_the_entries_of_a_copied_list(x):
    a, b = np.sin(x), x * x
    before = np.sum(a * b)
    _halve_all([a, b])
    return before * np.sum(a * b)


@program("v", "s")
def helper_that_shortens_a_copied_list(x, y):
    values = [y, 2.0 * y, y * y]
    rest = _without_first(values)
    return np.sum(x * x) * rest[0] + rest[1] * values[0]
