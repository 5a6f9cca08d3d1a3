"""Functions that choose what they compute by members of enumerations."""

from __future__ import annotations

from enum import Enum, IntEnum, auto

import numpy as np

from tests.programs.corpus import program


class Total:
    """A way to sum what a function gives."""

    def __init__(self, term):
        self.term = term

    def of(self, x):
        return np.sum(self.term(x))


class Method(Enum):
    """Ways to compute, each of which holds an object."""

    SINE = Total(np.sin)
    SQUARE = Total(np.square)


class Side(Enum):
    """Two sides, with a sign."""

    LEFT = auto()
    RIGHT = auto()

    @classmethod
    def from_text(cls, text):
        return cls[text]

    @property
    def half(self):
        return self.value / 2

    def sign(self):
        return 1.0 if self is Side.LEFT else -1.0


class Shape(Enum):
    """Shapes, by the words that stand for them."""

    LINE = "line"
    CURVE = "curve"


class Order(IntEnum):
    """Orders, which are numbers."""

    FIRST = 1
    SECOND = 2


USUAL = Side.RIGHT


def _method_of(method):
    if isinstance(method, Method):
        return method
    return Method[method]


@program("v")
def object_that_a_member_holds(x, method=Method.SINE):
    return method.value.of(x * x)


@program("v")
def member_by_its_name(x):
    chosen = _method_of("SQUARE")
    return chosen.value.of(np.exp(-x))


@program("v")
def member_that_is_compared(x, side=Side.LEFT):
    if side == Side.LEFT:
        return np.sum(x**3)
    return np.sum(x)


@program("v")
def member_from_a_method_of_its_class(x, side="RIGHT"):
    if isinstance(side, str):
        side = Side.from_text(side)
    return np.sum(x * x) * side.sign() * side.half


@program("v")
def member_of_a_module(x):
    return np.sum(np.sin(x)) * USUAL.sign() + USUAL.half


@program("v")
def member_by_what_it_stands_for(x, shape="curve"):
    shape = Shape(shape)
    if shape is Shape.LINE:
        return np.sum(x)
    if shape is Shape.CURVE:
        return np.sum(x * x * x)
    raise ValueError(shape)


@program("v")
def member_that_is_a_number(x, order=Order.SECOND):
    return np.sum(x**order) if order == 2 else np.sum(x)


@program("v")
def members_of_which_one_is_taken(x, side=Side.RIGHT):
    if side not in {Side.LEFT, Side.RIGHT}:
        raise NotImplementedError
    match side:
        case Side.LEFT:
            return np.sum(x)
        case Side.RIGHT:
            return np.sum(x * np.cos(x))


@program("v")
def members_that_are_gone_through(x):
    total = 0.0
    for side in [Side.LEFT, USUAL]:
        total += np.sum(x * x) * side.value
    return total
