"""Objects that count their calls, in the style of collections of functions to optimise."""

from __future__ import annotations

import numpy as np
from numpy import arange, asarray, cos, exp, pi, sin, sqrt, where

from tests.programs.corpus import program


class Landscape:
    def __init__(self, dimensions=8):
        self._dimensions = dimensions
        self.nfev = 0
        self.share = 0.5
        self.calls = []
        self._bounds = [(-2.0, 2.0)] * dimensions
        self.shift = asarray([low for low, _ in self._bounds])

    @property
    def N(self):
        return self._dimensions


class Bowl(Landscape):
    def fun(self, x, *args):
        self.nfev += 1
        return np.sum(x**2 + 0.3 * np.abs(x))


class Waves(Landscape):
    def fun(self, x, *args):
        self.nfev += 1
        i = arange(1, x.size + 1)
        u = np.sum(i * x**2) / self.N
        v = np.sum(cos(2 * pi * x)) / self.N
        return -20.0 * exp(-0.2 * sqrt(u)) - exp(v) + 20.0


class Branches(Landscape):
    def fun(self, x, *args):
        self.nfev += 1
        if x[0] > 0.5 and x[1] < 3.0:
            t = x[0] * x[1]
        elif x[0] > 2.0:
            return 10.0 * x[0]
        else:
            t = x[1] ** 2
        return t + sin(x[0]) ** 2


class Walls(Landscape):
    def fun(self, x, *args):
        self.nfev += 1

        def wall(v, a=0.5, k=10.0, m=4):
            y = where(v > a, k * (v - a) ** m, 0.0)
            return where(v < -a, k * (-v - a) ** m, y)

        y = 1 + (x + 1) / 4
        s = 10 * sin(pi * y[0]) ** 2
        for i in range(x.size - 1):
            s += (y[i] - 1) ** 2 * (1 + 10 * sin(pi * y[i + 1]) ** 2)
        return s + (y[-1] - 1) ** 2 + np.sum(wall(x))


class Scaled(Landscape):
    def fun(self, x, *args):
        self.nfev += 1
        scale = args[0] if args else 1.0
        return scale * np.sum(np.abs(x) ** 1.5)


class Derived(Bowl):
    def fun(self, x, *args):
        value = super().fun(x * 0.5, *args)
        return value + np.prod(x)


class Counting(Landscape):
    def scaled(self, x):
        self.nfev += 1
        return x * self.nfev

    def twice(self, x):
        self.nfev = 0
        return self.scaled(x) * self.scaled(x * x)

    def in_a_loop(self, x):
        self.nfev = 0
        total = 0.0
        for _ in range(3):
            y = self.scaled(x)
            total += y**2
        return total

    def between_reads(self, x):
        self.nfev = 1
        self.nfev += 1
        y = x * self.nfev
        self.nfev += 1
        return y * y * self.nfev


BOWL, WAVES, BRANCHES, WALLS = Bowl(), Waves(), Branches(), Walls()
SCALED, DERIVED, COUNTING = Scaled(), Derived(), Counting()


@program("v")
def bowl(x):
    return BOWL.fun(x)


@program("v")
def waves(x):
    return WAVES.fun(x) * 2.0


@program("v")
def branches(x):
    return BRANCHES.fun(x)


@program("v")
def walls(x):
    return WALLS.fun(x)


@program("v", "s")
def scaled(x, s):
    first = SCALED.fun(x, s)
    second = SCALED.fun(x)
    return first + second * s


@program("v")
def derived(x):
    return DERIVED.fun(x)


@program("s")
def two_counts_in_one_statement(x):
    return COUNTING.twice(x)


@program("s")
def counts_in_a_loop(x):
    return COUNTING.in_a_loop(x)


@program("s")
def counts_between_reads(x):
    return COUNTING.between_reads(x)


class Growing(Landscape):
    def fun(self, x, *args):
        self.calls.append(1)
        self.nfev += 1
        return np.sum(x**3)

    def total(self, x):
        self.share = 0.5
        self.share += x * x
        return self.share * x


GROWING = Growing()


@program("v")
def list_of_calls(x):
    return GROWING.fun(x)


@program("s")
def attribute_that_varies(x):
    return GROWING.total(x)
