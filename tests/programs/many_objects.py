"""Lists of objects with values, objects that are run through, and what loops over them skip."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tests.programs.corpus import program
from tests.programs.told_fields import Layer


@dataclass
class Body:
    place: np.ndarray
    speed: np.ndarray
    mass: float = 1.0


@program("v")
def bodies_that_pull_each_other(x):
    bodies = [Body(x[:2], x[2:]), Body(x[2:] * 2.0, x[:2], 2.0), Body(x[1:3], -x[1:3], 0.5)]
    step = 0.01
    for _ in range(3):
        for i, body in enumerate(bodies):
            force = np.zeros(2)
            for j, other in enumerate(bodies):
                if i == j:
                    continue
                away = other.place - body.place
                force += other.mass * body.mass * away / (np.dot(away, away) + 0.1) ** 1.5
            body.speed = body.speed + step * force / body.mass
        for body in bodies:
            body.place = body.place + step * body.speed
    return sum(0.5 * body.mass * body.speed @ body.speed for body in bodies)


@program("v")
def heavy_bodies_stay(x):
    bodies = [Body(x[:2], x[2:]), Body(x[2:] * 2.0, x[:2], 2.0)]
    for body in bodies:
        if body.mass > 1.5:
            continue
        body.place = body.place + 0.1 * body.speed
    return sum(body.place @ body.speed for body in bodies)


@program("v")
def objects_that_are_appended(x):
    bodies = []
    bodies.append(Body(x[:2], x[2:]))
    bodies.append(Body(x[2:] * 2.0, x[:2], 2.0))
    for body in bodies:
        body.place += 0.1 * body.speed
    return sum(body.mass * body.place @ body.speed for body in bodies)


@program("v")
def objects_of_a_comprehension(x):
    bodies = [Body(x * k, x**k) for k in range(1, 3)] + [Body(x, x)]
    for body in bodies:
        body.place = body.place + 0.1 * body.speed
    return sum(body.mass * body.place @ body.speed for body in bodies)


class Doubled:
    """Runs through an array, twice as large."""

    def __init__(self, x):
        self.x = x

    def __iter__(self):
        for v in self.x:
            yield v * 2.0

    def __len__(self):
        return len(self.x)


@program("v")
def loops_over_an_object(x):
    total = 0.0
    for v in Doubled(x):
        total = total + v**2
    for k, v in enumerate(Doubled(x)):
        total = total + v * k
    return total * len(Doubled(x))


@program("v")
def sums_and_lists_of_an_object(x):
    held = Doubled(x)
    a, b, *others = held
    items = list(held)
    return sum(v**2 for v in held) + a * b + others[0] * items[1]


class Held:
    def __init__(self, items):
        self.items = items

    def __iter__(self):
        return iter(self.items)


@program("v")
def loops_over_what_an_object_holds(x):
    total = 0.0
    for v in Held([x, x * x]):
        total = total + np.sum(v) ** 2
    return total


@program("v")
def objects_in_lists_that_are_extended(x):
    layers = [Layer(x)]
    same = layers
    layers += [Layer(x * 2.0, np.sin)]
    layers.extend([Layer(x, np.tanh), Layer(x * x)])
    v = x
    for layer in same:
        v = layer(v)
    return np.sum(v)


@program("v")
def objects_that_a_loop_appends(x):
    layers = []
    for k in range(3):
        layers.append(Layer(x * k, np.cos))
    v = x
    for layer in reversed(layers):
        v = layer(v)
    for layer, after in zip(layers, layers[1:]):
        v = v + layer.weights * after.weights
    return np.sum(v)


class Noted:
    """Says in a list that it was made."""

    def __init__(self, x, made):
        self.x = x
        made.append(x * 2.0)

    def pair(self, y):
        return self.x * y, self.x + y


@program("v")
def loop_over_what_a_new_object_gives(x):
    made = []
    total = 0.0
    for v in Noted(x, made).pair(x):
        total = total + np.sum(v * x)
    return total * len(made) + np.sum(made[0])


class Counted:
    """Counts how often its items are asked for."""

    def __init__(self, x):
        self.x, self.asked = x, 0

    @property
    def items(self):
        self.asked += 1
        return [self.x * self.asked, self.x]


@program("v")
def loop_over_what_a_property_gives(x):
    held = Counted(x)
    total = 0.0
    for v in held.items:
        total = total + np.sum(v * x)
    return total * held.asked
