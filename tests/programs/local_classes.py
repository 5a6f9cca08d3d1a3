"""Classes that a function defines itself."""

from __future__ import annotations

import dataclasses
import functools
from typing import NamedTuple

import numpy as np

from tests.programs.corpus import program


@program("v")
def class_in_a_function(x):
    class Point:
        def __init__(self, place):
            self.place = place

        def energy(self):
            return np.sum(self.place**2)

    return Point(x).energy()


@program("v")
def dataclass_in_a_function(x):
    @dataclasses.dataclass
    class Scaled:
        values: np.ndarray
        factor: float = 2.0
        shift: float = dataclasses.field(default=1.0)

        @property
        def result(self):
            return self.values * self.factor + self.shift

    return np.sum(Scaled(x).result ** 2)


@program("v")
def named_tuple_in_a_function(x):
    class Pair(NamedTuple):
        values: np.ndarray
        factor: float

    pair = Pair(x, 3.0)
    return np.sum(pair.values * pair.factor * pair[0])


@program("v")
def classes_that_inherit_in_a_function(x):
    class Base:
        factor = 3.0
        __hidden = 0.5

        def __init__(self, values):
            self.values = values

        def total(self):
            return self.measure() * self.factor * self.__hidden

    class Squares(Base):
        def __init__(self, values):
            super().__init__(values * 2.0)

        def measure(self):
            return np.sum(self.values**2)

    return Squares(x).total()


@program("v")
def class_in_a_function_with_all_kinds_of_methods(x):
    class Model:
        def __init__(self, x):
            self.__x = x

        @classmethod
        def doubled(cls, x):
            return cls(x * 2.0)

        @staticmethod
        def bend(y, *, power=2):
            return y**power

        @functools.cached_property
        def bent(self):
            return self.bend(self.__x)

        def __call__(self, y):
            return self.bent * y

        def __add__(self, other):
            return Model(self.__x + other)

    return np.sum(Model.doubled(x)(x)) + np.sum((Model(x) + 1.0).bent)


@program("v")
def class_in_a_function_that_writes_its_fields(x):
    class Walk:
        def __init__(self, start):
            self.place = start.copy()
            self.steps = 0

        def step(self):
            self.steps += 1
            self.place[1:] -= 0.1 * (self.place[1:] - self.place[:-1])

    walk = Walk(x)
    for _ in range(3):
        walk.step()
    return np.sum(walk.place**2) * walk.steps


@program("v", by="tape")
def class_that_reads_what_is_around_it(x):
    factor = np.sum(x)

    class Scaled:
        def __init__(self, values):
            self.values = values

        def total(self):
            return np.sum(self.values**2) * factor

    return Scaled(x).total()


@program("v", by="tape")
def class_whose_body_reads_what_is_around_it(x):
    number = len(x)

    class Scaled:
        factor = number

        def total(self, values):
            return np.sum(values**2) * self.factor

    return Scaled().total(x)


class _Kept:
    def __init__(self, weight):
        self.__weight = weight

    def scaled(self, __x, *, __by=1.5):
        __y = __x * self.__weight
        return __y * __by


_KEPT = _Kept(0.8)


@program("v")
def method_whose_parameters_are_private(x):
    return np.sum(_KEPT.scaled(x) * _Kept(x[0]).scaled(np.sin(x)))
