"""What functions hand on to each other: options, objects, imports, types, messages."""

from __future__ import annotations

import functools
from collections import namedtuple
from typing import NamedTuple

import numpy as np

from tests.programs.corpus import program

WORDS = "it is negative"
LIMITS = (1e-13, "short")
FIRST_STEP = 1e-4
FLOAT = np.float64


class Ellipsoid:
    def __init__(self, a, b):
        self.a = a
        self.e = b / a

    @classmethod
    def named(cls, name):
        return cls(6.378, 6.356)


def _scaled(x, ellipsoid=None):
    if ellipsoid is None:
        ellipsoid = Ellipsoid.named("w")
    return x * ellipsoid.a


@program("s", "s")
def object_made_in_one_function_for_another(x, y, ellipsoid=None):
    if ellipsoid is None:
        ellipsoid = Ellipsoid.named("w")
    r = _scaled(x, ellipsoid)
    return x * ellipsoid.e + y * r


@program("s", "s", by="tape")
def object_of_one_of_two_paths(x, y):
    ellipsoid = None
    if x > 0.0:
        ellipsoid = Ellipsoid(3.0, y)
    return _scaled(x, ellipsoid) * y


@program("s", "s", by="tape")
def object_made_in_a_try(x, y):
    try:
        ellipsoid = Ellipsoid(x, y)
    except ZeroDivisionError:
        ellipsoid = Ellipsoid(1.0, 2.0)
    return _scaled(x, ellipsoid) * ellipsoid.e


def _secant(f, start, args=()):
    p0 = start
    p1 = start * 1.01 if start != 0.0 else FIRST_STEP
    q0 = f(p0, *args)
    q1 = f(p1, *args)
    for _ in range(50):
        if q1 == q0:
            break
        p = p1 - q1 * (p1 - p0) / (q1 - q0)
        p0, q0 = p1, q1
        p1 = p
        q1 = f(p1, *args)
        if abs(p1 - p0) < LIMITS[0]:
            break
    return p1


def _error(x, a, b):
    return x * x * a - b


@program("s", "s")
def solver_that_hands_on_arguments(a, b):
    return _secant(_error, 1.0, (a, b)) * _secant(_error, 1.0, args=(a + b, a * b))


@program("s", "s")
def solver_of_a_lambda(a, b):
    return _secant(lambda x: x * x * a - b, 1.0)


@program("s", "s")
def solver_that_hands_on_a_list(a, b):
    return _secant(_error, 1.0, [a, b])


class BadValueError(ValueError):
    pass


def _checked(a, b, word="x"):
    if word == "x":
        return a * b
    raise ValueError(WORDS)


def _attested(holds, message=""):
    if not holds:
        raise AssertionError(message)


def _refused(a, b):
    if a < 0.0:
        raise BadValueError(WORDS, a, LIMITS)
    return a * b * LIMITS[0] + a


@program("s", "s")
def exceptions_of_words_from_outside(a, b):
    return _checked(a, b) * _refused(b, a)


def _own_options(**options):
    options["c"] = options.get("c", 2.0)
    return options["a"] * options["c"]


@program("s", "s")
def options_of_its_own(a, b):
    return _own_options(a=a) * _own_options(a=b, c=a)


def _array_of_options(**options):
    options["v"][0] += 1.0
    return np.sum(options["v"])


@program("v", "s")
def array_in_options_that_is_written(x, a):
    y = x * a
    total = _array_of_options(v=y)
    return np.sum(y * y) * total


def _with_import(x):
    from math import sqrt

    y = sqrt(x)
    return y * y * y


def _with_renamed_import(x):
    from numpy import cos
    from numpy import sin as s

    return s(x) * cos(x)


def _with_stars(*args, **options):
    from scipy.special import erf

    return erf(*args, **options)


@program("v")
def imports_in_called_functions(x):
    s = _with_import(x[0]) * x[1]
    return s * np.sum(_with_renamed_import(x) * _with_stars(x))


@program("v")
def import_that_is_handed_on(x):
    from functools import partial, reduce

    from numpy import multiply

    f = partial(multiply, x[0])
    return reduce(lambda a, b: a * b, [x[0], f(x[1])])


def _as_float(a, dtype=None):
    dtype = FLOAT if dtype is None else dtype
    return dtype(a)


def _optional(value, default):
    if value is None:
        return default
    else:  # noqa: RET505
        return value


def _as_checked_float(a, dtype=None):
    dtype = _optional(dtype, FLOAT)
    _attested(dtype in (np.float32, np.float64), "no such type")
    return dtype(a)


@program("v")
def type_in_a_variable(x):
    return np.sum(_as_float(x) ** 2) * np.sum(_as_checked_float(x) ** 3) * _as_float(x[0])


@program("v")
def new_axes_of_numbers(x):
    b = x * x[0]
    parts = [v[..., np.newaxis] for v in b]
    total = 0.0
    for v in b:
        total = total + np.sum(v[np.newaxis, np.newaxis] * np.array([[1.0, 2.0]]))
    return np.sum(np.concatenate(parts, axis=-1) * x) * total * np.sum(np.max(b)[..., None] * x)


def _moved_if_positive(e):
    if e[0] > 0:
        e = e - 1.0
    return e


def _raised_until(e):
    while np.sum(e) < 1.0:
        e = 0.5 + e
    return e


@program("v")
def argument_or_new_by_a_helper(x):
    """What the helper returns is new memory on one path; so must its tangent be."""
    y = x * x
    moved = _moved_if_positive(y)
    y *= 0.5
    return np.sum(moved * y)


@program("v")
def new_after_some_trips_of_a_helper(x):
    """The tangent of ``0.5 + e`` may be that of `e`."""
    y = x * 1.0
    raised = _raised_until(y)
    raised[1] *= y[0]
    return np.sum(raised * y)


@program("v")
def helper_of_a_helper_that_may_return_its_argument(x):
    def inner(e):
        return e + 1.0

    def outer(e):
        if e[1] < 5.0:
            e = inner(e)
        return e

    moved = outer(x)
    x *= 0.5
    return np.sum(moved * x)


def _summed(x, scale=1.0, how="plain"):
    return np.sum(x * scale) if how == "plain" else np.sum(x**3 * scale)


def _summed_by_default(x, **options):
    how = options.setdefault("how", "cubed")
    options.setdefault("scale", x[0] * 2.0)
    return _summed(x, **options) * (2.0 if how == "plain" else 1.0)


@program("v")
def options_that_are_set_where_none_are_given(x):
    plain = _summed_by_default(x, how="plain")
    return plain + _summed_by_default(x) + _summed_by_default(x, how="cubed", scale=3.0)


Halves = namedtuple("Halves", "first second")


class _Line:
    def __init__(self, slope, shift):
        self.slope, self.shift = slope, shift

    def at(self, x):
        return self.slope * x + self.shift


@program("m")
def tuple_with_names_made_of_what_a_call_returns(m):
    halves = Halves(*np.split(m[:2], 2))
    return np.sum(halves.first * halves.second**2)


def _spectrum(a, *, xp=np, **options):
    return Spectrum(*xp.linalg.eigh(a, **options))


class Spectrum(NamedTuple):
    values: np.ndarray
    vectors: np.ndarray


@program("m")
def typed_tuple_made_of_what_a_module_returns(m):
    values, _ = _spectrum(m.T @ m)
    return np.sum(values**3)


@program("v")
def object_made_of_the_parts_of_an_array(x):
    return _Line(*x[:2]).at(x[2]) * _Line(*[v * 2.0 for v in x[:2]]).at(x[0])


def _as_array(function):
    @functools.wraps(function)
    def wrapper(values, *args, **kwargs):
        values = np.asarray(values)
        if not (there := values != 0.0).all():
            values = values[there]
        return function(values, *args, **kwargs)

    return wrapper


@program("v")
@_as_array
def decorated_with_the_rest_of_its_arguments(x, base=2.0):
    return np.sum(x * x) / np.log(base)


@program("v")
def nothing_in_the_rest(x, *scales):
    for scale in scales:
        x = x * scale
    return _scaled_by(np.sin(x), *scales)


def _scaled_by(x, first=2.0, second=3.0):
    return np.sum(x * first) * second
