"""Objects as code by others uses them: visitors, observers, pipelines, managers and dispatch."""

from __future__ import annotations

import contextlib
import enum
import functools
import operator
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.programs.corpus import program


@dataclass
class Leaf:
    value: Any


@dataclass
class Joint:
    sign: str
    left: Any
    right: Any


class Reader:
    """A visitor that finds its methods by the classes of what it meets."""

    def visit(self, node):
        return getattr(self, f"visit_{type(node).__name__.lower()}")(node)

    def visit_leaf(self, node):
        return node.value

    def visit_joint(self, node):
        parts = self.visit(node.left), self.visit(node.right)
        return {"+": operator.add, "*": operator.mul}[node.sign](*parts)


def matched(node):
    match node:
        case Leaf(value):
            return value
        case Joint("+", left, right):
            return matched(left) + matched(right)
        case Joint("*", left, right):
            return matched(left) * matched(right)


@functools.singledispatch
def weight(thing):
    raise TypeError(thing)


@weight.register
def _(thing: Leaf):
    return thing.value**2


@weight.register
def _(thing: Joint):
    return weight(thing.left) * 0.5 + weight(thing.right)


class Law(enum.Enum):
    """Members that are called, and run through."""

    LINEAR = "linear"
    SQUARE = "square"

    def __call__(self, t, k):
        return k * t if self is Law.LINEAR else k * t * t


class Chain:
    """Steps that are added one by one, with weights and names."""

    def __init__(self, *steps):
        self.steps = list(steps)
        self.watching = []
        self.weights = []
        self.by_name = {}

    def add(self, step):
        self.steps.append(step)
        return self

    def watch(self, what, weight, name):
        self.watching.append(what)
        self.weights.append(weight)
        self.by_name[name] = what

    def __call__(self, value):
        for step in self.steps:
            value = step(value)
        return value

    def told(self, value):
        return sum(w * what(value) for w, what in zip(self.weights, self.watching, strict=True))


class Gain:
    def __init__(self, k):
        self.k = k

    def __call__(self, t):
        return self.k * t


KINDS = {"gain": Gain, "pair": lambda k: lambda t: t + k}


def gain_of(k):
    made = Gain(k)
    made.k = made.k + 0.5
    return made


@contextlib.contextmanager
def scaled(held, k):
    old = held["s"]
    held["s"] = old * k
    try:
        yield held
    finally:
        held["s"] = old


@contextlib.contextmanager
def in_turn(gain, k):
    old, gain.k = gain.k, k
    yield gain
    gain.k = old


@program("s", "s", "s")
def visited_and_matched(x, y, z):
    tree = Joint("+", Leaf(x), Joint("*", Leaf(y), Leaf(z)))
    return Reader().visit(tree) * matched(tree)


@program("s", "s")
def dispatched_by_class(x, y):
    return sum(weight(item) for item in [Leaf(x), Joint("+", Leaf(y), Leaf(x))])


@program("s", "s")
def members_run_through(x, y):
    return sum(law(x, y) for law in Law) * Law("square")(y, x)


@program("s", "s")
def steps_put_into_objects(x, y):
    chain = Chain(np.sin).add(lambda v: v * y).add(np.exp)
    for k in (1.0, 2.0):
        chain.add(lambda v, k=k: v + k * x)
    chain.watch(np.cos, y, "cos")
    chain.watch(lambda v: v * x, 2.0, "by x")
    return chain(x) * chain.told(y) + chain.by_name["cos"](x)


@program("s")
def objects_of_constants(x):
    made = [gain_of(k) for k in (1.0, 2.0)]
    value = sum(one(x) for one in made)
    for kind, k in (("gain", 3.0), ("pair", 0.5)):
        value = KINDS[kind](k)(value)
    return value * gain_of(0.5)(x)


@program("s", "s")
def managers_by_generators(x, y):
    held, gain = {"s": x}, Gain(y)
    with scaled(held, 2.0) as inner, in_turn(gain, x * x):
        first = inner["s"] * gain(y)
    with contextlib.nullcontext(first * x) as more:
        return more + held["s"] * gain(x)


@program("s", "s")
def getters_under_names(x, y):
    value, total = operator.attrgetter("value"), operator.methodcaller("sum")
    return value(Leaf(x)) * total(np.array([x, y])) + sum(map(value, [Leaf(y), Leaf(x)]))


@program("v", "s")
def stars_that_constructors_take_apart(x, y):
    class Box:
        def __init__(self, low=0.5, high=1.0):
            self.low, self.high = low, high

    box, other = Box(*x[1:3]), Box(*[y])
    return box.high**2 - box.low * other.low + other.high
