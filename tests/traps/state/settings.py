"""A module with settings, as packages have them, and functions that read and write those."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Program:
    """A function of one array, what else it is given, and by which engine it goes."""

    function: Callable[..., Any]
    by: str
    given: Callable[[], tuple[Any, ...]]


PROGRAMS: dict[Callable[..., Any], Program] = {}


def program(by: str = "source", given: Callable[[], tuple[Any, ...]] = tuple) -> Any:
    """Note a function as a program that is tested."""

    def note(function: Any) -> Any:
        PROGRAMS[function] = Program(function, by, given)
        return function

    return note


UNITS = "one"
SCALE = 2.0
COUNT = 0
FLAG = False
TABLE = np.array([0.5, 0.7, 1.5])
VIEW = TABLE[1:]
LIMITS = [0.5, 2.0]
OPTIONS = {"power": 2.0, "gain": 3.0}
CACHE = {}
LOG = []


class Config:
    units = "one"
    scale = 2.0
    table = np.array([0.5, 0.7, 1.5])


class Box:
    def __init__(self):
        self.scale = 2.0
        self.table = np.array([0.5, 0.7, 1.5])
        self.calls = 0


BOX = Box()


def set_units(value):
    global UNITS
    UNITS = value


def get_units():
    return UNITS


def set_scale(value):
    global SCALE
    SCALE = value


def in_units(a):
    a = np.asarray(a, np.float64)
    if UNITS == "two":
        a /= 2.0
    return a


def in_units_pure(a):
    return a / 2.0 if UNITS == "two" else a * 1.0


def scaled(a):
    return a * SCALE


def by_table(a):
    return np.sum(a * TABLE)


def by_table_loop(a):
    total = 0.0
    for i in range(3):
        total = total + np.sin(a[i]) * TABLE[i] * a[i]
    return total


def write_table(i, v):
    TABLE[i] = v


def scale_table(k):
    TABLE[:] *= k


def scaled_in_place(a, k):
    a *= k
    return a


def by_box(a):
    return np.sum(a * BOX.table) * BOX.scale


@functools.lru_cache
def weight_of(n):
    return float(n) * SCALE


def memo(n):
    if n not in CACHE:
        CACHE[n] = float(n) * SCALE
    return CACHE[n]


class units:
    def __init__(self, value):
        self.value = value
        self.before = None

    def __enter__(self):
        self.before = UNITS
        set_units(self.value)
        return self

    def __exit__(self, *args):
        set_units(self.before)


def doubled_if_flag(a):
    return a * 2.0 if FLAG else a * 3.0


def counted():
    global COUNT
    COUNT += 1
    return float(COUNT)


def counted_box():
    BOX.calls += 1
    return float(BOX.calls)


class Session:
    def __init__(self, scale):
        self.scale = scale

    def apply(self):
        global SCALE
        SCALE = self.scale


SESSION = Session(5.0)
