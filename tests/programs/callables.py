"""Programs of functions: nested, passed about, closed over state, of objects, with stars."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections import namedtuple
from functools import partial

import numpy as np

from tests.programs.corpus import program

Point = namedtuple("Point", ["x", "y"])
OFFSETS = {"gain": 0.5, "shift": np.array([0.1, -0.2, 0.3, 0.4])}
COUNTER = 0


def _apply_twice(f, x):
    return f(f(x))


def _square(x):
    return x * x


def _compose(f, g):
    def composed(x):
        return f(g(x))

    return composed


def _weighted(*terms, weight=1.0, **named):
    total = weight * terms[0]
    for term in terms[1:]:
        total = total + term
    for value in named.values():
        total = total * value
    return total


def _positional(a, b, /, c, *, d=2.0):
    return a * b + c**d


@program("v")
def nested_function_with_closure(x):
    scale = x[0] * 2.0

    def scaled(v):
        return v * scale

    return np.sum(scaled(x) * scaled(x * x))


@program("v")
def closure_over_a_name_that_changes(x):
    factor = x[0]

    def times(v):
        return v * factor

    first = times(x)
    factor = x[1] * 3.0
    return np.sum(first * times(x))


@program("v")
def nonlocal_total(x):
    total = 0.0

    def add(v):
        nonlocal total
        total = total + v * v

    for i in range(4):
        add(x[i])
    return total * x[0]


@program("v")
def lambda_in_a_name(x):
    f = lambda v: v * v + 1.0  # noqa: E731
    return np.sum(f(f(x)))


@program("v")
def lambda_with_a_default(x):
    parts = [lambda v, k=k: v * (k + 1) for k in range(3)]
    return np.sum(parts[0](x) * parts[2](x))


@program("v")
def functions_as_arguments(x):
    return np.sum(_apply_twice(_square, x)) + np.sum(_apply_twice(np.sin, x))


@program("v")
def function_returned(x):
    return np.sum(_compose(np.tanh, _square)(x))


@program("v")
def function_from_a_table(x):
    table = {"square": _square, "sine": np.sin}
    total = 0.0
    for name in ("square", "sine"):
        total += np.sum(table[name](x))
    return total


@program("v", "s")
def star_arguments(x, s):
    return np.sum(_weighted(x, x * x, s, weight=s, factor=x))


@program("v", "s")
def star_in_the_call(x, s):
    args = (x, s * x)
    options = {"weight": s}
    return np.sum(_weighted(*args, **options))


@program("s", "s")
def positional_and_keyword_only(a, b):
    return _positional(a, b, c=a * b) * _positional(b, a, 1.5, d=3.0)


@program("v", "s")
def partial_application(x, s):
    scaled = partial(np.multiply, s)
    return np.sum(scaled(x) ** 2)


@program("v", "s")
def partial_of_a_python_function(x, s):
    f = functools.partial(_weighted, weight=s)
    return np.sum(f(x, x * x))


def _doubled(f):
    @functools.wraps(f)
    def wrapper(*args):
        return 2.0 * f(*args)

    return wrapper


@_doubled
def _energy(x):
    return np.sum(x * x)


@program("v")
def decorated_helper(x):
    return _energy(x) * x[0]


@functools.lru_cache(maxsize=None)
def _binomial(n, k):
    return math.comb(n, k)


@program("s", "n")
def cached_helper_of_ints(a, n):
    total = 0.0
    for k in range(n + 1):
        total += _binomial(n, k) * a**k
    return total


class _Layer:
    """Holds weights, and counts its calls."""

    bias = 0.1

    def __init__(self, weight):
        self.weight = weight
        self.calls = 0

    def __call__(self, x):
        self.calls += 1
        return np.tanh(self.weight * x + self.bias)

    def penalty(self):
        return np.sum(self.weight**2) * 0.01

    @property
    def norm(self):
        return np.sqrt(np.sum(self.weight**2))

    @staticmethod
    def clipped(x):
        return np.minimum(x, 0.9)

    @classmethod
    def make(cls, weight):
        return cls(weight * 2.0)


class _Deeper(_Layer):
    """Applies its base twice."""

    def __call__(self, x):
        return super().__call__(super().__call__(x))


@program("v", "v")
def object_with_active_attributes(w, x):
    layer = _Layer(w)
    return np.sum(layer(x)) + layer.penalty()


@program("v", "v")
def object_with_a_property(w, x):
    layer = _Layer(w)
    return layer.norm * np.sum(layer.clipped(x))


@program("v", "v")
def object_from_a_class_method(w, x):
    return np.sum(_Layer.make(w)(x))


@program("v", "v")
def object_of_a_subclass(w, x):
    return np.sum(_Deeper(w)(x))


@program("v", "v")
def attribute_written_in_a_loop(w, x):
    layer = _Layer(w)
    for _ in range(3):
        layer.weight = layer.weight * 0.9 + 0.1 * x
    return np.sum(layer.weight**2)


FIXED = _Layer(np.array([0.5, -0.3, 0.2, 0.8]))


@program("v")
def object_of_the_module(x):
    return np.sum(FIXED(x) * FIXED.weight)


@dataclasses.dataclass
class _State:
    position: object
    velocity: object

    def energy(self):
        return 0.5 * np.sum(self.velocity**2) + np.sum(self.position**4)


def _advance(state, h):
    velocity = state.velocity - h * state.position
    return dataclasses.replace(state, position=state.position + h * velocity, velocity=velocity)


@program("v", "v")
def dataclass_replaced(x, v):
    state = _State(x, v)
    for _ in range(3):
        state = _advance(state, 0.1)
    return state.energy()


@program("v", "v")
def dataclass_updated(x, v):
    state = _State(x * 1.0, v * 1.0)
    for _ in range(3):
        state.velocity = state.velocity - 0.1 * state.position**3
        state.position = state.position + 0.1 * state.velocity
    return state.energy()


@program("v")
def namedtuple_made_and_read(x):
    p = Point(x * 2.0, y=np.sin(x))
    q = p._replace(y=p.y * p.x)
    return np.sum(q.x * q.y)


@program("v")
def namedtuple_unpacked(x):
    first, second = Point(x[:2], x[2:])
    return first @ second


def _ackermann_like(x, n):
    if n <= 0:
        return x
    return _ackermann_like(x * x * 0.5 + 0.1, n - 1) * _ackermann_like(x, n - 2)


@program("s", "n")
def double_recursion(a, n):
    return _ackermann_like(a, n)


def _product_of_all(first, *others):
    if not others:
        return first
    return first * _product_of_all(*others)


@program("v")
def recursion_by_starred_parameters(x):
    return _product_of_all(x[0], x[1], x[2])


@program("v")
def recursion_on_halves(x):
    def total(u):
        if len(u) == 1:
            return u[0] * u[0]
        middle = len(u) // 2
        return total(u[:middle]) * 0.5 + total(u[middle:])

    return total(x)


@program("v")
def global_data(x):
    return np.sum((x + OFFSETS["shift"]) ** 2) * OFFSETS["gain"]


@program("v")
def global_counter(x):
    global COUNTER
    COUNTER += 1
    return np.sum(x * x)


def _with_mutable_default(x, seen=[]):  # noqa: B006
    seen.append(1)
    return x * x


@program("v")
def mutable_default_of_a_helper(x):
    return np.sum(_with_mutable_default(x))


@program("v")
def import_inside(x):
    from math import pi

    import numpy.linalg as la

    return la.norm(x) * pi


@program("v")
def type_questions(x):
    y = x * 2.0
    if isinstance(x, np.ndarray):
        y = y * x
    if not isinstance(np.sum(x), float):
        y = y * 100.0
    return np.sum(y)


@program("s")
def type_questions_of_a_float(a):
    b = a * a
    if isinstance(a, float):
        b = b * 2.0
    if np.isscalar(a):
        b = b + a
    return b


@program("v")
def printed_and_formatted(x):
    text = f"{len(x)} values"
    y = np.sum(x * x)
    return y * len(text)


@program("v")
def getattr_and_hasattr(x):
    f = getattr(np, "sin")  # noqa: B009
    y = f(x)
    if hasattr(x, "shape"):
        y = y * x
    return np.sum(y)


@program("v", by="tape")
def function_with_attribute(x):
    def inner(v):
        return v * inner.scale

    inner.scale = 3.0
    return np.sum(inner(x) ** 2)


@program("v", "s")
def currying(x, s):
    def outer(a):
        def inner(b):
            return a * b * s

        return inner

    f = outer(x)
    return np.sum(f(x) + f(2.0))


@program("v")
def mutual_recursion_inside(x):
    def even(v, n):
        return v if n == 0 else odd(v * x[0], n - 1)

    def odd(v, n):
        return v * 0.5 if n == 0 else even(v + x[1], n - 1)

    return even(x[2], 4) + odd(x[3], 2)


def _decayed(rate, y, steps, k=1.0):
    factor = k if callable(k) else (lambda t: k)
    for i in range(steps):
        y = y + 0.1 * factor(0.1 * i) * rate(y)
    return y


@program("v")
def number_or_function_by_a_choice(x):
    by_number = _decayed(lambda y: -y * x[0], x, 4, k=x[1])
    by_function = _decayed(np.sin, x, 3, k=np.cos)
    return np.sum(by_number * by_function) + np.sum(_decayed(np.tanh, x, 2))


def _flux(u, speed):
    if not callable(speed):
        constant = speed

        def speed(v):
            return constant * np.ones_like(v)

    return speed(u) * u


@program("v")
def number_or_function_by_a_nested_one(x):
    return np.sum(_flux(x, 2.0)) + np.sum(_flux(x, x[0])) + np.sum(_flux(x, np.sin))


@program("v", by="tape")
def number_that_a_loop_makes_a_function(x):
    total = 0.0
    scale = x[0]
    for i in range(3):
        total += scale(x[1]) if callable(scale) else scale * x[1]
        if i == 1:
            scale = np.sin
    return total
