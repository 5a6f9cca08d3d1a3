"""Functions chosen by name from tables, with the keywords that the chosen one takes."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Mapping

import numpy as np

from tests.programs.corpus import program


class Table(Mapping):
    """A table whose keys are the same in any case."""

    def __init__(self, entries):
        self._entries = dict(entries)

    def __getitem__(self, key):
        return {name.lower(): entry for name, entry in self._entries.items()}[str(key).lower()]

    def __iter__(self):
        return iter(self._entries)

    def __len__(self):
        return len(self._entries)


def _cube_root(x, offset=16.0):
    return np.sum(116.0 * np.cbrt(1.0 + x * x) - offset)


def _power(x, exponent=1.5):
    return np.sum((1.0 + x * x) ** exponent)


TABLE = Table({"Cube Root": _cube_root, "Power": _power, "Exponent": _power})
PLAIN = {"Cube Root": _cube_root, "Power": _power}


@functools.cache
def _checked(method, names, message='"{0}" is none of {1}!'):
    lower = [str(name).lower() for name in names]
    if method.lower() not in lower:
        raise ValueError(message.format(method, names))
    return method.lower()


def _taken_by(function, **kwargs):
    kwargs = dict(kwargs)
    names = list(inspect.signature(function).parameters.keys())
    for key in set(kwargs.keys()) - set(names):
        kwargs.pop(key)
    return kwargs


@program("v")
def function_of_a_table_of_a_class(x, method="power"):
    function = TABLE[method]
    return function(x)


@program("v")
def function_of_a_table_at_once(x, method="Cube Root"):
    return TABLE[_checked(method, tuple(TABLE))](x) * 2.0


@program("v")
def function_with_the_keywords_that_it_takes(x, method="Power", **kwargs):
    function = PLAIN[method]
    return function(x, **_taken_by(function, **kwargs))


@program("v", "s")
def function_of_a_checked_name_with_its_keywords(x, y, method="Exponent", **kwargs):
    method = _checked(method, tuple(TABLE))
    function = TABLE[method]
    return function(x * y, **_taken_by(function, **kwargs)) * y


WEIGHTS = Table({"Even": np.array([1.0, 1.0, 1.0, 1.0]), "First": np.array([1.0, 0.0, 0.0, 0.0])})
SCALES = Table({"One": 1.0, "Half": 0.5})


@program("v")
def array_of_a_table_of_a_class(x, method="even"):
    return np.sum(WEIGHTS[method] * x * x) * SCALES["half"]


UNITS = "one"


def _in_units(a):
    a = np.asarray(a, np.float64)
    if UNITS == "two":
        a /= 2.0
    return a


def _root(x):
    y = _in_units(x)
    return np.sum(np.sqrt(1.0 + y * y))


def _square(x):
    return np.sum(_in_units(x) ** 2)


ROOTS = Table({"Root": _root, "Square": _square})


@program("v")
def functions_that_a_setting_lets_write(x, method="Root"):
    function = ROOTS[method]
    if function in (_square, _power) and UNITS == "one":
        x = x * 2.0
    return function(x)


class _Laws(dict):
    """A dict whose entries are attributes, too."""

    def __getattr__(self, name):
        if name.startswith("__"):  # of those that ask what it is
            raise AttributeError(name)
        return self[name]


LAWS = _Laws(slope=lambda often: 1.1 if often else 1.2, offset=lambda often: 0.1)


def _given_or(laws, other):
    return other if laws is None else laws


@program("v")
def laws_that_a_helper_hands_back(x):
    laws = _given_or(None, LAWS)
    return np.sum(x * laws.slope(True) + laws["offset"](False) * x * x)


class _Numbers:
    """Hands on what it is asked for to a library, which may be another one."""

    def __init__(self, library):
        self._library = library

    @property
    def linear(self):
        return self._library.linalg

    def __getattr__(self, name):
        if name == "_library":  # of an object that is not made yet
            raise AttributeError(name)
        return getattr(self._library, name)


class _Lazy:
    def __getattr__(self, name):
        import scipy.special

        return getattr(scipy.special, name)


xp = _Numbers(np)
lazy = _Lazy()


@program("v")
def library_behind_an_object(x):
    y = xp.zeros_like(x)
    y[1:] = xp.hypot(x[1:], x[:-1]) * xp.pi
    return xp.sum(y * lazy.expit(x)) / xp.linear.norm(x)


@program("v")
def functions_of_a_library_behind_an_object(x):
    def smooth(v):
        return xp.tanh(v) * xp.linalg.norm(v)

    total = 0.0
    for i in range(len(x)):
        function = xp.sin if i % 2 else xp.cos
        total = total + function(x[i])
    return total + xp.sum(smooth(x) * smooth(2.0 * x))


class _Settings:
    """Keeps numbers in a dict, and gives None for those that are not there."""

    def __init__(self):
        self.held = {"scale": 2.0}

    def __getattr__(self, name):
        if name == "held":
            raise AttributeError(name)
        return self.held.get(name)


SETTINGS = _Settings()


@program("v")
def numbers_behind_an_object(x):
    scaled = x * SETTINGS.scale
    return np.sum(scaled if SETTINGS.offset is None else scaled + SETTINGS.offset)


@program("v", by="tape")
def numbers_behind_an_object_that_are_written(x):
    SETTINGS.held["scale"] = x[0]
    total = np.sum(x * SETTINGS.scale)
    SETTINGS.held["scale"] = 2.0
    return total
