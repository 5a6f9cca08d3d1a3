"""Classes that ask of which class their operands are, copies of objects, and exits half-way."""

from __future__ import annotations

import copy
from copy import deepcopy

import numpy as np

from tests.programs.corpus import program


class OddError(Exception):
    """What a class here raises and catches."""


class Pair:
    """A vector of two, which takes numbers for the like."""

    def __init__(self, a, b):
        self.a, self.b = a, b

    def __mul__(self, other):
        if isinstance(other, Pair):
            return self.a * other.a + self.b * other.b
        return Pair(self.a * other, self.b * other)

    __rmul__ = __mul__

    def __add__(self, other):
        if not isinstance(other, Pair):
            other = Pair(other, other)
        return Pair(self.a + other.a, self.b + other.b)


class Turn:
    """A turn in space, made of four numbers, a vector or an array."""

    def __init__(self, *args, **kwargs):
        if args:
            self.q = np.array([args[0], args[1], args[2], args[3]])
        elif "vector" in kwargs:
            v = kwargs["vector"]
            self.q = np.array([0.0, v[0], v[1], v[2]])
        else:
            self.q = np.asarray(kwargs["array"])

    @property
    def inverse(self):
        return Turn(array=np.array([self.q[0], -self.q[1], -self.q[2], -self.q[3]]))

    def matrix(self):
        a, b, c, d = self.q
        return np.array([[a, -b, -c, -d], [b, a, -d, c], [c, d, a, -b], [d, -c, b, a]])

    def __mul__(self, other):
        if isinstance(other, Turn):
            return self.__class__(array=np.dot(self.matrix(), other.q))
        return self * self.__class__(other)

    def normalise(self):
        length = np.sqrt(np.dot(self.q, self.q))
        if abs(length - 1.0) > 1e-12:
            self.q = self.q / length

    def turned(self, other):
        self.normalise()
        return self * other * self.inverse

    def of(self, vector):
        if isinstance(vector, Turn):
            return self.turned(vector)
        return self.turned(Turn(vector=vector)).q[1:]


class Tank:
    """A level that is measured, with a look at what went wrong."""

    def __init__(self, level=1.0):
        self.level = level
        self.rows = np.ones(4)

    def filled(self, x):
        try:
            self.level = self.level * x
            if self.level > 3.0:
                raise OddError  # noqa: TRY301
        except OddError:
            self.level = x * x
        return self.level

    def until(self, x, most=20):
        for count in range(most):
            change = np.tanh(self.level * x) - self.level
            self.level += 0.5 * change
            if abs(change) < 0.1:
                return self.level * count
        return self.level


TANK = Tank()


@program("v")
def numbers_beside_vectors(x):
    v = Pair(x[0], 1.0)
    k = np.sum(x)
    for i in range(3):
        v = v * x[i] + 0.5
    w = x[1] * v + k
    return w * v + (2.0 * w).a


@program("v")
def turns_of_a_vector(x):
    turn = Turn(x[0], x[1], 0.5, x[3])
    there = turn.of(np.array([1.0, x[2], 3.0]))
    back = turn.inverse.of(Turn(vector=there))
    return there @ x[1:] + back.q[1]


@program("v")
def tank_that_raises(x):
    tank = Tank(x[0])
    first = tank.filled(2.0 * x[1])
    second = tank.filled(x[2])
    return first + second * tank.filled(9.0 + x[3])


@program("v")
def tank_until_it_settles(x):
    TANK.level = x[0]
    total = x[1]
    total += TANK.until(x[2])
    return total + TANK.until(x[3], most=2)


@program("v")
def copy_of_an_object(x):
    other = deepcopy(TANK)
    other.rows[1:] = x[1:] * other.rows[:-1]
    other.level = np.sum(other.rows)
    return other.level * TANK.rows[2] * x[0]


@program("v")
def copies_of_arrays(x):
    y = copy.deepcopy(x * 2.0)
    y[0] = 1.0
    z = deepcopy(y.reshape(2, 2).T)
    z.ravel()[0] = 5.0
    return np.sum(y * x) + np.sum(z)


class _Series:
    """A polynomial that is made of its coefficients, the lowest first."""

    def __init__(self, *coefficients):
        self.c = list(coefficients)

    def __call__(self, t):
        total = 0.0
        for c in reversed(self.c):
            total = total * t + c
        return total

    def __mul__(self, other):
        c = [0.0] * (len(self.c) + len(other.c) - 1)
        for i, a in enumerate(self.c):
            for j, b in enumerate(other.c):
                c[i + j] += a * b
        return _Series(*c)

    def slope(self):
        return _Series(*[i * c for i, c in enumerate(self.c)][1:])


@program("v")
def series_made_of_what_a_list_holds(x):
    return (_Series(x[0], x[1]) * _Series(x[2], 1.0, x[3])).slope()(0.7)


@program("v")
def series_made_of_an_array(x):
    whole = _Series(*x)
    return whole(0.7) * whole.slope()(x[0])
