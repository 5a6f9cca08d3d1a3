"""Functions, objects and containers that the compiler sees through."""

from __future__ import annotations

import functools
from collections import namedtuple
from dataclasses import dataclass, field
from functools import reduce

import numpy as np

from tests.programs.corpus import program


@program("v")
def reduce_start(x):
    return reduce(lambda a, b: a * 0.5 + b * b, x, x[0])


@program("v")
def reduce_display(x):
    return reduce(lambda a, b: a * b + 1.0, [x[0], x[1], x[2]])


@program("v")
def map_two(x):
    fs = [np.sin, np.cos]
    return sum(f(v) for f, v in zip(fs, (x[0], x[1])))


@program("v")
def map_display(x):
    a, b = map(lambda v: v * v, (x[0], x[1]))
    return a * b


@program("v")
def enumerate_functions(x):
    t = 0.0
    for i, f in enumerate([np.sin, np.cos, lambda v: v**3]):
        t += f(x[i])
    return t


@program("v")
def zip_functions(x):
    t = 0.0
    for f, k in zip([np.sin, np.cos], (1.0, 2.0)):
        t += k * f(x[0])
    return t


@program("v")
def zip_functions2(x):
    t = 0.0
    for f, g in zip([np.sin, np.cos], [np.exp, np.tanh]):
        t += g(f(x[0]))
    return t


@program("v")
def reversed_functions(x):
    y = x
    for f in reversed([np.sin, np.cos, np.tanh]):
        y = f(y)
    return np.sum(y)


@program("v")
def dict_functions(x):
    d = dict(s=np.sin, c=np.cos)
    return np.sum(d["s"](x)) + np.sum(d["c"](x[0]))


@program("v")
def dict_more(x):
    d = {"s": np.sin}
    e = dict(d, c=np.cos)
    t = 0.0
    for k in e:
        t += np.sum(e[k](x))
    for k, f in e.items():
        t += np.sum(f(x))
    return t


@program("v")
def list_of_functions(x):
    fs = list((np.sin, np.cos))
    gs = tuple(fs)
    return np.sum(gs[0](fs[1](x))) * len(fs)


@program("v")
def getattr_known(x):
    f = np.sin
    return np.sum(f(x))


@program("v")
def callable_test(x):
    f = np.sin

    def g(v):
        return v * 2

    return np.sum(f(x)) if callable(g) else np.sum(x)


@program("v")
def cached(x):
    @functools.lru_cache
    def f(v):
        return v * v

    @functools.cache
    def g(v):
        return v * 3

    return f(x[0]) * g(x[1])


@dataclass
class Layer:
    w: float
    b: float = 0.5
    scales: list = field(default_factory=list)
    names: dict = field(default_factory=dict)
    hidden: float = field(default=1.0, init=False)

    def __post_init__(self):
        self.total = self.w + self.b

    def __len__(self):
        return 3

    @property
    def both(self):
        return self.w * self.b

    @functools.cached_property
    def cached(self):
        return self.w**2

    @classmethod
    def of(cls, v):
        return cls(v, v * 2)

    @staticmethod
    def twice(v):
        return v * 2

    def __call__(self, v):
        return v * self.total


@program("v")
def dataclass_all(x):
    layer = Layer(x[0])
    m = Layer.of(x[1])
    layer.b = x[2]
    return (
        layer.both * m.cached * m.cached
        + Layer.twice(layer.total) * len(layer)
        + layer.hidden * m(x[3])
    )


@program("v")
def object_attributes(x):
    layer = Layer(x[0])
    if hasattr(layer, "b") and isinstance(layer, Layer) and not hasattr(layer, "zz"):
        return layer.w * layer.b
    return x[0]


class Point(namedtuple("Point", "x y")):
    def norm(self):
        return self.x**2 + self.y**2


@program("v")
def named_tuple(x):
    p = Point(x[0], y=x[1])
    a, _b = p
    return p.norm() * a * p[1]


@dataclass
class WithFactory:
    w: object
    p: object = field(default_factory=lambda: 2.5)


@program("v")
def factory(x):
    o = WithFactory(x)
    return np.sum(o.w * o.p)


@program("v")
def either_object(x):
    if x[0] > 0:
        o = Layer(x[0], x[1])
    else:
        o = Layer(x[1], x[0])
    return o.w * o.b * o.total


@program("v")
def objects_in_loop(x):
    o = Layer(x[0], x[1])
    for i in range(3):
        o = Layer(o.b * x[2], o.w + x[i])
    return o.w * o.b


class Base:
    rate = 3.0

    def scaled(self, v):
        return v * self.rate


class Child(Base):
    def __init__(self, w):
        self.w = w

    def scaled(self, v):
        return super().scaled(v) + self.w


@program("v")
def inherits(x):
    c = Child(x[0])
    return c.scaled(x[1]) * c.rate


@program("v")
def choice_in_loop(x):
    f = np.sin if x[0] > 0 else np.cos
    t = 0.0
    for v in x:
        t += f(v)
    return t


@program("v")
def while_function(x):
    f = np.sin
    t = x[0] ** 2 + 0.2
    while t < 2.0:
        t = t + f(t) + 0.1
    return t


@program("v")
def nested_choice(x):
    f = np.sin if x[0] > 0 else (np.cos if x[1] > 0 else np.tanh)
    return np.sum(f(x))


@program("v")
def if_objects(x):
    layer = Layer(x[0])
    if x[1] > 0:
        layer.b = x[1] * 2
    else:
        layer.b = x[2]
    return layer.both


@program("v")
def chain_methods(x):
    return np.sum(Child(x[0]).scaled(x))


@program("v")
def starred_call(x):
    args = (x[0], x[1])
    return _three(*args, x[2])


def _three(a, b, c):
    return a * b + c


@program("v")
def starred_options(x):
    o = {"b": x[1], "c": x[2]}
    return _three(x[0], **o)


@program("v")
def starred_array(x):
    return _three(*x[:3])


@program("v")
def merged_options(x):
    o = {"b": x[1]}
    return _three(x[0], **o, c=x[2])


@program("v")
def two_targets(x):
    f = g = np.sin
    return np.sum(f(x) * g(x))


@program("v")
def lambda_default(x):
    def f(v, k=x[0]):
        return v * k

    return np.sum(f(x))


@program("v")
def walrus_function(x):
    if (n := np.sum(x)) > 0:
        return n * n
    return n


@program("v")
def comp_functions(x):
    return sum([f(x[0]) for f in (np.sin, np.cos)])


@program("v")
def dict_comp(x):
    d = {k: v * v for k, v in zip("abcd", x)}
    return d["a"] * d["c"]


@program("v")
def setdef_option(x):
    o = {"k": 2.0}
    o["j"] = 3.0
    return np.sum(x) * o.pop("k") + o.get("zz", 1.0)


def _sine_of_singles(v):
    return np.sin(v)


def _cosine_of_doubles(v):
    return np.cos(v)


_TYPES = {"f": np.float32, "d": np.float64}


def _type_for(dtype):
    if dtype.kind == "c":
        raise ValueError("not for complex numbers")
    return _TYPES.get(dtype.char, np.float32)


def _by_type(a):
    function = _sine_of_singles if _type_for(a.dtype) == np.float32 else _cosine_of_doubles
    return function(a)


@program("v")
def function_by_what_a_table_gives_for_an_attribute(x):
    """A key that is an attribute is known when the text runs: it is not taken for one not there."""
    return np.sum(_by_type(x))


@program("v")
def dtype_that_is_a_type_or_none(x):
    dtype = np.float64
    if x.dtype.kind == "O":
        dtype = None
    elif x.ndim == 2:
        dtype = "f8"
    y = np.array([x[0], x[1]], dtype=dtype)
    return np.sum(y * x.astype(dtype)[:2])


def _as_vector(v, out="array"):
    if isinstance(v, (list, tuple)):
        if len(v) > 20:
            raise ValueError("{} are too many, {} is the most".format(len(v), 20))  # noqa: UP032
        return list(v) if out == "list" else np.array(v, dtype=np.float64)
    if out in ("sequence", "list"):
        return list(v.flatten())
    return v.astype(np.float64)


@program("v")
def option_that_is_in_a_tuple_of_texts(x):
    return np.sum(_as_vector(x) ** 2)


@program("v")
def choices_in_both_ends(x):
    f = (np.sin if x[1] > 0.1 else np.exp) if x[0] > 0 else (np.cos if x[1] > 0 else np.tanh)
    g = f if x[2] > 0 else np.sqrt
    x = x * 2.0
    return np.sum(f(x)) + np.sum(g(x * x))


@program("v")
def of_another_trip_and_length(x):
    before, total = None, 0.0
    for n in (1, 4):
        now = np.ones(n) * x[0]
        if before is not None:
            total = total + np.sum(before * now)
        before = now * x[1]
    return total


@program("v")
def of_another_trip_or_none(x):
    before, total = None, 0.0
    for k in range(1, 4):
        now = x[:k] * 2.0 if k != 3 else x[:1]
        if before is not None:
            total = total + (np.sum(before * x[0] * now) if k == 3 else np.sum(before))
        before = now * now
    return total
