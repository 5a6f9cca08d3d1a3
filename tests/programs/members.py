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


class Rule(str, Enum):  # noqa: UP042 - as is written for Python before StrEnum
    """Rules, which are texts."""

    EULER = "euler"
    HEUN = "heun"


class Pattern(str):
    """A text that is called, and is equal to others."""

    def __call__(self, value):
        return self % value


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


def stepped(x, rule=Rule.HEUN):
    return x * 2 if rule is Rule.EULER else x**2


@program("v")
def default_that_is_a_member_and_a_text(x):
    return np.sum(stepped(x)) + stepped(x[0], Rule.EULER)


def stepped_by_word(x, *, rule=Rule.HEUN, times=1):
    if times == 0:
        return x
    return stepped_by_word(x * 2 if rule == "heun" else x * x, rule=rule, times=times - 1)


@program("v")
def member_that_is_a_text_handed_on(x):
    return np.sum(stepped_by_word(x, times=2)) + stepped_by_word(x[0], rule="euler")


class Solver:
    """Holds a rule and a pattern."""

    def __init__(self):
        self.rule = Rule.EULER
        self.pattern = Pattern("%f")

    def solved(self, x):
        return x * x if self.pattern == "%f" and self.rule is Rule.EULER else x


SOLVER = Solver()


@program("v")
def texts_of_classes_in_objects(x):
    return np.sum(SOLVER.solved(x)) * np.sum(Solver().solved(x))


FLOATING, NOTHING = Pattern("%f"), Pattern()


@program("v")
def text_that_is_called_as_a_default(x, pattern=FLOATING, nothing=NOTHING):
    wide = 2 if pattern == "%f" else 3
    return np.sum(x * x) * wide * len(nothing or "four")


BY_RULE = {Rule.EULER: np.sin, Rule.HEUN: np.cos}


@program("v", by="tape")
def functions_by_members_that_are_texts(x, rule=Rule.HEUN):
    return np.sum(BY_RULE[rule](x))


@program("v")
def members_beside_numbers(x):
    total = sum(v * side.value for v, side in zip(x, Side))
    for v, side in zip(x, reversed(Side)):
        total = total * v if side is Side.LEFT else total + v * side.value
    return total


@program("v")
def members_beside_numbers_by_position(x, sides=Side):
    total = 0.0
    for i, (v, side) in enumerate(zip(x, sides)):
        total = total * v + i * side.value
    for a, b in zip(reversed(members_of_orders(x)), Order):
        total = total + a * b
    return total


def members_of_orders(x):
    return [v * order for order, v in zip(Order, x)]


class Numbered:
    """An object that is gone through, and has no entries."""

    def __iter__(self):
        return iter([2.0, 3.0])


NUMBERED = Numbered()


@program("v", by="tape")
def object_without_entries_beside_numbers(x):
    return sum(v * k for v, k in zip(x, NUMBERED))


class _Step(Enum):
    """Members that are called: the steps of a network."""

    POSITIVE = "positive"
    SMOOTH = "smooth"

    def __call__(self, v):
        return np.maximum(v, 0.0) if self is _Step.POSITIVE else np.tanh(v)


class _Unit:
    def __init__(self, weight, step=_Step.SMOOTH):
        self.weight = weight
        self.step = step

    def run(self, v):
        return self.step(self.weight * v)


@program("v")
def members_that_are_called(x):
    y = x
    for unit in (_Unit(x[0]), _Unit(x[1], _Step.POSITIVE)):
        y = unit.run(y)
    return np.sum(y * y)
