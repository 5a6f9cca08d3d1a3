"""Objects: made on the way, of the module, with methods, properties, operators and inheritance."""

from __future__ import annotations

import dataclasses
import functools
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from tests.programs.corpus import program


class Dense:
    """A layer."""

    def __init__(self, weight, bias, activation=np.tanh):
        self.weight = weight
        self.bias = bias
        self.activation = activation

    def forward(self, x):
        return self.activation(x @ self.weight + self.bias)

    __call__ = forward

    @property
    def penalty(self):
        return 0.01 * np.sum(self.weight**2)


class Network:
    """Layers in a list."""

    def __init__(self, *layers):
        self.layers = list(layers)

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x

    def penalty(self):
        return sum(layer.penalty for layer in self.layers)


@program("m", "M", "v")
def network_of_layer_objects(a, b, v):
    network = Network(Dense(a.T, 0.1), Dense(a, v, activation=lambda z: z * z))
    hidden = network(v)
    return np.sum(hidden @ b) + network.penalty()


RNG = np.random.default_rng(3)
FIXED = Network(Dense(RNG.normal(size=(4, 3)), 0.2), Dense(RNG.normal(size=(3, 2)), 0.0, np.sin))


@program("v")
def network_of_the_module(x):
    return np.sum(FIXED(x) ** 2) + FIXED.layers[0].penalty


@dataclass
class Particle:
    """A particle with a step that changes it."""

    position: np.ndarray
    velocity: np.ndarray
    mass: float = 1.5
    trail: list = field(default_factory=list)

    def energy(self):
        return 0.5 * self.mass * np.sum(self.velocity**2) + np.sum(self.position**2)

    def kick(self, force, dt):
        self.velocity = self.velocity + dt * force / self.mass

    def drift(self, dt):
        self.position = self.position + dt * self.velocity

    def step(self, force, dt):
        self.kick(force(self.position), 0.5 * dt)
        self.drift(dt)
        self.kick(force(self.position), 0.5 * dt)


@program("v", "v", "s")
def leapfrog_of_a_particle(x, v, k):
    particle = Particle(x, v, mass=k)
    for _ in range(4):
        particle.step(lambda q: -k * np.sin(q), 0.1)
    return particle.energy()


@dataclass(frozen=True)
class Parameters:
    """Physical parameters."""

    gravity: float = 9.81
    length: float = 1.0
    damping: float = 0.1

    @property
    def frequency(self):
        return np.sqrt(self.gravity / self.length)

    def slope(self, angle, speed):
        return speed, -self.damping * speed - self.frequency**2 * np.sin(angle)


@program("s", "s", "s")
def pendulum_with_parameters(length, damping, angle):
    p = Parameters(length=length, damping=damping)
    speed = 0.0
    for _ in range(5):
        da, ds = p.slope(angle, speed)
        angle, speed = angle + 0.05 * da, speed + 0.05 * ds
    longer = dataclasses.replace(p, length=2.0 * length)
    return angle * speed + longer.frequency


class State(NamedTuple):
    """A state that is never changed."""

    x: np.ndarray
    p: np.ndarray

    def moved(self, dt):
        return State(self.x + dt * self.p, self.p - dt * self.x)


@program("v", "v")
def named_tuples(x, p):
    state = State(x, p=p)
    other = state.moved(0.1)
    a, b = other
    return np.sum(a * state.p) + np.sum(b * other[0]) + np.sum(state[1])


@program("v", "v", "n")
def named_tuples_in_a_loop(x, p, n):
    state = State(x, p)
    for _ in range(n):
        state = state.moved(0.1)
    return np.sum(state.x * state.p)


class Vector:
    """Two numbers with operators."""

    def __init__(self, x, y):
        self.x, self.y = x, y

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y)

    def __sub__(self, other):
        return Vector(self.x - other.x, self.y - other.y)

    def __mul__(self, factor):
        return Vector(self.x * factor, self.y * factor)

    __rmul__ = __mul__

    def __neg__(self):
        return Vector(-self.x, -self.y)

    def dot(self, other):
        return self.x * other.x + self.y * other.y

    @classmethod
    def of(cls, pair):
        return cls(pair[0], pair[1])

    @staticmethod
    def norm(vector):
        return np.sqrt(vector.dot(vector))


@program(("v", 2), "s")
def vectors_with_operators(pair, k):
    a = Vector.of(pair)
    b = Vector(k, 2.0)
    c = 2.0 * a + b * k - (-a)
    return Vector.norm(c) * a.dot(b)


class Shape:
    """A base class."""

    scale = 2.0

    def __init__(self, size):
        self.size = size

    def area(self):
        return self.scale * self.size**2

    def describe(self):
        return self.area() + self.size


class Ring(Shape):
    """A derived class."""

    def __init__(self, size, hole):
        super().__init__(size)
        self.hole = hole

    def area(self):
        return super().area() - Shape(self.hole).area()


@program("s", "s")
def inheritance_and_super(a, b):
    shapes = [Ring(a, b), Shape(b)]
    total = 0.0
    for shape in shapes:
        total = total + shape.describe()
    return total * (1.0 if isinstance(shapes[0], Shape) else 2.0)


class Spline:
    """Keeps what it computes."""

    def __init__(self, values):
        self.values = values

    @functools.cached_property
    def slopes(self):
        return np.diff(self.values)

    def at(self, i, t):
        return self.values[i] + t * self.slopes[i]


@program("v", "s")
def cached_property(values, t):
    spline = Spline(values)
    return spline.at(0, t) * spline.at(1, t * t) + np.sum(spline.slopes)


class Adam:
    """An optimiser with state."""

    def __init__(self, rate, size):
        self.rate = rate
        self.mean = np.zeros(size)
        self.square = np.zeros(size)
        self.steps = 0

    def update(self, w, slope):
        self.steps += 1
        self.mean = 0.9 * self.mean + 0.1 * slope
        self.square = 0.99 * self.square + 0.01 * slope**2
        mean = self.mean / (1.0 - 0.9**self.steps)
        square = self.square / (1.0 - 0.99**self.steps)
        return w - self.rate * mean / (np.sqrt(square) + 1e-3)


@program("v", "s")
def optimiser_object(w, rate):
    adam = Adam(rate, 4)
    for _ in range(3):
        w = adam.update(w, 2.0 * w + np.cos(w))
    return np.sum(w * w)


@program("v", "s")
def two_names_of_one_object(x, k):
    first = Particle(x, k * x)
    second = first
    second.velocity = second.velocity * 2.0
    first.position = first.position + first.velocity
    return second.energy() + np.sum(first.velocity)


@program("v", "s")
def object_on_two_paths(x, k):
    shape = Shape(k)
    if k > 1.0:
        shape.size = shape.size * 3.0
    else:
        shape = Shape(k * k)
    return shape.area() * np.sum(x)


@program("v", "s")
def bound_method_passed_on(x, k):
    p = Parameters(damping=k)
    slope = p.slope
    a, b = slope(x, x * x)
    pairs = [f(x, k) for f in (p.slope, Parameters(length=k).slope)]
    return np.sum(a * b) + np.sum(pairs[0][1] * pairs[1][1])


class Counter:
    """A callable with state."""

    def __init__(self):
        self.total = 0.0

    def __call__(self, v):
        self.total = self.total + np.sum(v)
        return self.total * v


@program("v")
def callable_with_state(x):
    counter = Counter()
    y = counter(x)
    z = counter(y)
    return np.sum(z) * counter.total


@program("v", "s")
def object_returned_by_a_helper(x, k):
    particle = _launched(x, k)
    moved = _launched(particle.position * 2.0, k * k)
    return particle.energy() * moved.energy()


def _launched(x, k):
    particle = Particle(x, np.cos(x))
    particle.drift(k)
    return particle


@program("v", "s")
def object_passed_to_helpers(x, k):
    particle = Particle(x, k * x)
    return _kinetic(particle) + _kinetic(Particle(x, x), scale=particle.mass * k)


def _kinetic(particle, scale=1.0):
    if scale > 100.0:
        return 0.0
    return scale * particle.mass * np.sum(particle.velocity**2)


class Store:
    """Holds an array."""

    def __init__(self, array):
        self.array = array
        self.count = 0

    def add(self, v):
        self.count += 1
        self.array = self.array + v
        return self


@program("v", "s")
def methods_in_a_chain(x, k):
    return np.sum(Store(x).add(k).add(k * k).array ** 2)


@program("v", "s")
def field_updated_in_place_under_another_name(x, k):
    store = Store(x * 1.0)
    array = store.array
    store.array *= k
    return np.sum(array * array)


@program("v", "s")
def fields_swapped(x, k):
    a, b = Store(x), Store(k * x)
    a.array, b.array = b.array, a.array
    return np.sum(a.array**2) + np.sum(b.array)


@program("v", "s")
def loop_until_an_object_is_done(x, k):
    store = Store(x)
    while store.count < 3:
        store.add(k * store.array)
    return np.sum(store.array)


@dataclass
class Derived:
    """Makes a field after the others."""

    x: float
    y: float = 3.0

    def __post_init__(self):
        self.product = self.x * self.y


@program("s", "s")
def fields_made_after_the_others(a, k):
    made = Derived(k, y=k * a)
    made.x = 5.0 * k
    return made.product * made.x + Derived(a).product


@program("v", "s")
def object_in_a_list_is_changed(x, k):
    store = Store(x)
    stores = [store, Store(k * x)]
    store.array = store.array * 2.0
    total = 0.0
    for item in stores:
        total = total + np.sum(item.array)
    stores[1].array = stores[1].array * k
    return total * np.sum(stores[1].array)


@program("v", "s")
def object_in_a_closure_is_changed(x, k):
    store = Store(x)
    total = lambda: np.sum(store.array) * k  # noqa: E731
    add = store.add
    first = total()
    add(k * x)
    return first * total()


@program("v", "s")
def object_inside_an_object_is_replaced(x, k):
    outer = Store(Store(x))
    inner = outer.array
    outer.array = Store(k * x)
    inner.array = inner.array * 5.0
    return np.sum(outer.array.array * inner.array)


@program("v", "s")
def object_passed_twice(x, k):
    store = Store(x)
    return _both(store, store, k)


def _both(a, b, k):
    a.array = a.array * k
    return np.sum(a.array * b.array)


@program("v", "s", by="tape")
def function_of_an_object_of_the_module_is_replaced(x, k):
    KEPT.array = np.cos
    y = KEPT.array(x)
    KEPT.array = np.sin
    return np.sum(y) * k


KEPT = Store(np.sin)


class Secret:
    """Has private names."""

    def __init__(self, v):
        self.__v = v

    def square(self):
        return self.__v**2

    def __getitem__(self, i):
        return self.__v[i]


@program("v", "s")
def private_names(x, k):
    return np.sum(Secret(x).square()) * k + Secret(k * x)[1]


class _Tally:
    """Counts from a number of its class, which the first addition hides."""

    total = 0.5

    def add(self, value):
        self.total = self.total * 2.0 + value
        return self


@program("v")
def default_of_a_class_hidden_once(x):
    tally = _Tally()
    tally.add(x[0]).add(x[1])
    return tally.total**2


@program("v", by="tape")
def default_of_a_class_hidden_in_a_loop(x):
    tally = _Tally()
    for value in x:
        tally.add(value * value)
    return tally.total**2


@program("v")
def default_of_a_class_hidden_on_a_path(x):
    tally = _Tally()
    if x[0] > 99:
        tally.total = x[1]
    return tally.total * np.sum(x * x)


@program("v", by="tape")
def default_of_a_class_hidden_until_a_break(x):
    tally = _Tally()
    value = x[0]
    while True:
        tally.add(value)
        value = value * x[1]
        if tally.total > 2.0 or value < 0.01:
            break
    return tally.total + value
