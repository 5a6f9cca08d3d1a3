"""Models that are there before the call, with methods that write their fields."""

from __future__ import annotations

import numpy as np

from tests.programs.corpus import program


def damp_ends(field, rate):
    field[0] = rate * field[1]
    field[-1] = rate * field[-2]


class Wave:
    """A string that is moved step by step."""

    def __init__(self, size=4):
        self.u = np.linspace(0.1, 1.0, size)
        self.v = np.zeros(size)
        self.time = 0.0
        self.steps = 0
        self.log = []

    def start(self, x):
        self.u[:] = x
        self.v[:] = 0.0
        self.time = 0.0
        self.steps = 0
        return self

    def step(self, speed, dt=0.1):
        self.v[1:-1] += dt * speed * (self.u[2:] - 2.0 * self.u[1:-1] + self.u[:-2])
        self.u += dt * self.v
        self.time += dt * speed
        self.steps += 1

    @property
    def energy(self):
        return 0.5 * np.sum(self.v**2) + np.sum(self.u**3)

    def run(self, x, count=3):
        self.start(x)
        for _ in range(count):
            self.step(x[0] * x[1])
        return self.energy + self.time

    def settled(self, x):
        self.start(x)
        for _ in range(20):
            before = np.sum(self.u)
            self.u = 0.5 * (self.u + np.tanh(self.u))
            self.steps += 1
            if abs(np.sum(self.u) - before) < 0.05:
                return np.sum(self.u**2)
        return self.energy


class Damped(Wave):
    def step(self, speed, dt=0.1):
        super().step(speed, dt)
        damp_ends(self.u, speed)


class Filter:
    """A scalar filter that keeps its state as numbers."""

    def __init__(self):
        self.mean, self.spread = 0.0, 1.0

    def predict(self, drift):
        self.mean = self.mean + drift
        self.spread = self.spread * 1.1

    def update(self, seen):
        gain = self.spread / (self.spread + 0.5)
        self.mean = self.mean + gain * (seen - self.mean)
        self.spread = (1.0 - gain) * self.spread
        return self.mean

    def likelihood(self, data):
        self.mean, self.spread = 0.0, 1.0
        total = 0.0
        for seen in data:
            self.predict(0.1)
            total -= 0.5 * (seen - self.mean) ** 2 / self.spread
            total += 0.1 * self.update(seen)
        return total


class Layer:
    """A layer that remembers what went in and what came out."""

    def __init__(self, weight):
        self.weight = weight
        self.seen = self.made = None

    def __call__(self, x):
        self.seen = x
        self.made = np.tanh(x * self.weight)
        return self.made


class Net:
    def __init__(self):
        self.layers = [Layer(0.5), Layer(1.5), Layer(-0.7)]

    def loss(self, x):
        out = x
        for layer in self.layers:
            out = layer(out)
        inner = sum(np.sum(layer.made * layer.seen) for layer in self.layers)
        return np.sum(out**2) + inner


class Grid:
    def __init__(self):
        self.h = np.ones(4)


class Basin:
    """A grid in another object, and a double buffer."""

    def __init__(self):
        self.grid = Grid()
        self.old, self.new = np.zeros(4), np.zeros(4)

    def fill(self, x):
        self.grid.h[:] = x
        level = self.grid
        for i in range(1, 4):
            level.h[i] -= 0.3 * level.h[i - 1] * x[i]
        return np.sum(level.h**2)

    def relaxed(self, x):
        self.old[:] = x
        self.new[:] = 0.0
        for _ in range(3):
            self.new[1:] = 0.5 * (self.old[1:] + self.old[:-1]) * x[0]
            self.old, self.new = self.new, self.old
        return np.sum(self.old * x) + np.sum(self.new)


WAVE, DAMPED, FILTER, NET, BASIN = Wave(), Damped(), Filter(), Net(), Basin()
LEFT, RIGHT = Filter(), Filter()


@program("v")
def run_of_a_model(x):
    return WAVE.run(x)


@program("v")
def run_of_a_child(x):
    return DAMPED.run(x, 2)


@program("v")
def steps_of_a_model(x):
    WAVE.start(x)
    WAVE.step(x[2])
    WAVE.start(x * WAVE.u).step(x[1], dt=0.2)
    return np.sum(WAVE.u * WAVE.v) + WAVE.steps * WAVE.time


@program("v")
def model_until_it_settles(x):
    return WAVE.settled(x) * WAVE.steps


@program("v")
def model_by_other_names(x):
    u, v = WAVE.u, WAVE.v
    u[:] = x
    for i in range(1, 4):
        v[i] = u[i - 1] * x[i]
        u[i] = v[i] + u[i] ** 2
    return np.sum(WAVE.u) + np.sum(WAVE.v[1:])


@program("v")
def model_written_by_functions(x):
    np.multiply(x, 2.0, out=WAVE.u)
    np.copyto(WAVE.v, x * x)
    damp_ends(WAVE.u, x[0])
    for field in (WAVE.u, WAVE.v):
        field[1] = field[-1]
    return np.sum(WAVE.u * WAVE.v)


@program("v")
def model_that_is_read_between(x):
    WAVE.start(x)
    WAVE.u = x * 2.0
    first = WAVE.u
    WAVE.u = WAVE.u * first + 1.0
    second = WAVE.energy
    WAVE.v = np.zeros(4)
    return second + np.sum(first * WAVE.u)


@program("v")
def argument_that_a_method_binds_anew(x):
    WAVE.start(x)
    FILTER.mean, FILTER.spread = x[0], 1.0
    FILTER.predict(FILTER.mean)
    return FILTER.update(FILTER.mean * x[1]) * WAVE.u[2]


@program("v")
def filter_of_numbers(x):
    return FILTER.likelihood(x)


@program("v")
def two_filters(x):
    first = LEFT.likelihood(x)
    RIGHT.mean, RIGHT.spread = LEFT.mean, 1.0
    for seen in x:
        RIGHT.update(seen * LEFT.spread)
    return first + RIGHT.mean * LEFT.mean


@program("v")
def layers_that_remember(x):
    return NET.loss(x)


@program("v")
def grid_in_a_model(x):
    return BASIN.fill(x)


@program("v")
def buffers_that_change_places(x):
    return BASIN.relaxed(x)


@program("v")
def fields_by_branch(x):
    WAVE.start(x)
    if x[0] > 0.0:
        WAVE.u[1:] *= x[:-1]
    else:
        WAVE.v = WAVE.u + 1.0
    try:
        WAVE.u[0] = x[1] * x[2]
        if x[3] < 0.0:
            raise ValueError  # noqa: TRY301
    except ValueError:
        WAVE.u[0] = 0.0
    return np.sum(WAVE.u**2) + np.sum(WAVE.v)
