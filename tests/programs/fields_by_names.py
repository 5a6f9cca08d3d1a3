"""Fields that loops name: by tuples of classes, `fields` and `vars`, and by tables of functions."""

from __future__ import annotations

import copy
from dataclasses import astuple, dataclass, fields
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np

from tests.programs.corpus import program

ORDER = ["depth", "speed"]
STEPS = [("stretch", {"by": 1.5}), ("bend", {"by": 0.5, "at": 0.2})]


class Basin:
    """A state whose fields are listed in the class."""

    state: ClassVar[Any] = ("depth", "speed")

    def __init__(self, depth, speed):
        self.depth = depth
        self.speed = speed

    def energy(self):
        total = 0.0
        for name in self.state:
            total += np.sum(getattr(self, name) ** 2)
        return total

    def step(self, dt):
        for name in self.state:
            setattr(self, name, getattr(self, name) + dt * np.sin(getattr(self, name)))

    def twin(self):
        new = self.__class__.__new__(self.__class__)
        new.__dict__.update(self.__dict__)
        return new


class River(Basin):
    """One that asks the class above, too."""

    def energy(self):
        return sum(np.sum(getattr(self, name)) for name in self.state) + super().energy()


@dataclass
class Load:
    """A dataclass that runs through its own fields."""

    size: float
    angle: float

    def __add__(self, other):
        return Load(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))

    def norm(self):
        return sum(part**2 for part in astuple(self)) ** 0.5


class Arrow:
    """A vector that yields what its `__slots__` name."""

    _fields = ("x", "y")
    __slots__ = _fields

    def __init__(self, x, y):
        self.x, self.y = x, y

    def __iter__(self):
        for name in self._fields:
            yield getattr(self, name)

    def __sub__(self, other):
        return Arrow(*(a - b for a, b in zip(self, other, strict=True)))

    def __mul__(self, k):
        return Arrow(*map(lambda a: a * k, self))

    def dot(self, other):
        return sum(a * b for a, b in zip(self, other, strict=True))


class Knobs:
    """Settings with defaults, by names."""

    names: ClassVar[Any] = ["gain", "bias"]

    def __init__(self, **given):
        for name in self.names:
            setattr(self, name, given.get(name, 1.0))

    def __call__(self, t):
        return self.gain * t + self.bias


class Shaper:
    """A class with a table of its subclasses."""

    kinds: ClassVar[dict[str, Any]] = {}

    def __init_subclass__(cls, kind, **rest):
        super().__init_subclass__(**rest)
        Shaper.kinds[kind] = cls

    def __init__(self, **given):
        for name, value in given.items():
            setattr(self, name, value)


class Stretch(Shaper, kind="stretch"):
    """One of them."""

    def __call__(self, t):
        return self.by * t


class Bend(Shaper, kind="bend"):
    """Another one."""

    def __call__(self, t):
        return self.by * t * t + self.at


def shaper(kind, **given):
    return Shaper.kinds[kind](**given)


def pendulum(angle, rate, length=1.0, drag=None):
    if drag is None:
        drag = 0.1
    return -np.sin(angle) / length - drag * rate


@program("v")
def fields_that_a_class_lists(x):
    basin = River(x, x * x)
    for _ in range(2):
        basin.step(0.1)
    return basin.energy()


@program("v")
def twins_by_their_dicts(x):
    basin = Basin(x, x * x)
    other = basin.twin()
    other.speed = np.cos(x)
    vars(basin)["depth"] = 2.0 * x
    return np.sum(basin.depth * basin.speed + other.depth * other.speed)


@program("s", "s")
def fields_of_a_dataclass_added(x, y):
    return (Load(x, y) + Load(x * y, 1.0)).norm()


@program("s", "s")
def slots_that_are_yielded(x, y):
    a, b = Arrow(x, y), Arrow(y, 2.0)
    return (a - b * 0.5).dot(a)


@program("s", "s")
def settings_with_defaults_by_name(x, y):
    return Knobs(gain=x, bias=y)(0.5) * Knobs(bias=x)(y)


@program("s", "s")
def classes_of_a_table_that_a_loop_names(x, y):
    value = x
    for kind, given in STEPS:
        value = shaper(kind, **given)(value)
    made = [shaper(kind, **{k: v * y for k, v in given.items()}) for kind, given in STEPS]
    return value * sum(one(y) for one in made)


@program("v")
def namespace_of_names_outside(x):
    held = SimpleNamespace(**dict(zip(ORDER, x, strict=False)))
    for name, scale in (("depth", 2.0), ("speed", -1.0)):
        setattr(held, name, getattr(held, name) * scale)
    return held.depth * held.speed


@program("v")
def copies_of_the_dict_of_an_object(x):
    held = SimpleNamespace(a=x * 1.0, b=x * 2.0)
    before = dict(vars(held))
    held.a = held.a * 3.0
    again = SimpleNamespace(**{**vars(held), "b": before["a"]})
    return np.sum(held.a * before["a"] * again.a * again.b)


@program("v")
def names_that_are_read_after_their_loop(x):
    basin, total = Basin(x, x * x), 0.0
    for name in Basin.state:
        total += np.sum(getattr(basin, name)) * x[0]
    total *= 2.0 if name == "speed" else 0.5
    for name in Basin.state:
        total += np.prod(getattr(basin, name))
    return total * len(name)


@program("v", "s")
def keywords_that_a_dict_of_the_run_holds(x, y):
    given = {"angle": x, "rate": np.cos(x)}
    first = pendulum(**given)
    given["length"] = y
    if y > 0.1:
        given["drag"] = y * y
    return np.sum(first * pendulum(**given))


@program("v", "s")
def keywords_of_a_dict_that_a_helper_unpacks(x, y):
    def named(values, names=("angle", "rate", "length")):
        return {name: values[i] for i, name in enumerate(names)}

    load = Load(**{f.name: x[i] for i, f in enumerate(fields(Load))})
    return pendulum(**named(x), drag=y) * load.size + copy.copy(load).angle


@program("v")
def stars_before_what_is_named(x):
    rest = x[2:]
    return np.sum(pendulum(*rest, length=x[0], drag=x[1])) + Load(*x[:1], angle=x[1]).norm()


@program("v")
def functions_chosen_by_numbers_in_a_comprehension(x):
    steps = [np.sin, np.cos]
    total = sum([steps[i](x[i]) for i in range(2)])
    return total * x[2]
