"""Programs with parts that are not differentiated by source, where the calls do not come by."""

from __future__ import annotations

import fractions
import functools
import inspect
import math
import types
from dataclasses import dataclass

import numpy as np
from scipy import special

from tests.programs.corpus import program

LOG: list[np.ndarray] = []


@program("v")
def branch_with_a_function_without_a_rule(x):
    y = np.sin(x)
    if y[0] > 2.0:
        y = special.pro_cv(0, 0, y[0])
    return np.sum(y * y)


@program("v")
def end_after_a_branch_that_returns(x):
    if x[0] < 100.0:
        return np.sum(np.cos(x))
    return special.pro_cv(0, 0, x[0])


@program("v")
def one_of_three_ways(x):
    if x[0] > 100.0:
        y = special.pro_cv(0, 0, x[0])
    elif x.ndim == 1:
        y = x * x[0]
    else:
        y = special.pro_cv(0, 0, x[1])
    return np.sum(y)


def _logged(x):
    if len(x) > 100:
        x.sort()
        LOG.append(x)
    return np.sum(x * x * x)


@program("v")
def helper_that_would_write_elsewhere(x):
    return _logged(x) * _logged(2.0 * x)


def _scaled(x, in_place=False):
    if x.dtype.kind != "f" and in_place:
        x *= 2.0
    return np.tanh(x)


@program("v")
def helper_of_a_helper_that_would_write(x):
    def rescaled(v):
        return _scaled(v) * 2.0

    return np.sum(rescaled(x))


@program("v")
def deleted_on_a_path(x):
    y = x * 2.0
    if x[0] > 100.0:
        del y
    return np.sum(y)


def _power(u, n):
    if n > 0:
        return _power(u, n - 1) * u
    return u


@program("v")
def helper_called_without_an_argument(x):
    if x[0] > 100.0:
        return _power(x[0])
    return _power(x[1], 2)


def _times_option(v, **options):
    return v * options.pop("scale")


@program("v")
def option_that_is_not_given(x):
    if x[0] > 100.0:
        return np.sum(_times_option(x, shift=1.0))
    return np.sum(_times_option(x, scale=2.0))


@dataclass
class _Point:
    value: float
    weight: float


@program("v")
def field_that_is_not_given(x):
    if x[0] > 100.0:
        return np.sum(_Point(x).value)
    return np.sum(_Point(x, 2.0).value * x)


@program("v", "s")
def loop_that_goes_on_before(x, c):
    total = 0.0
    for v in x:
        if v < 100.0:
            total += v * c
            continue
        total += special.pro_cv(0, 0, v)
    return total


class _Holder:
    def __init__(self, value):
        self.value = value


@program("v")
def attribute_that_is_not_there(x):
    holder = _Holder(x)
    if x[0] > 100.0:
        return holder.weight * x[0]
    return np.sum(holder.value * x)


@program("v")
def call_that_does_not_fit(x):
    def scaled(v, scale):
        return v * scale

    if x[0] > 100.0:
        return np.sum(scaled(x))
    return np.sum(scaled(x, 2.0) * x)


def _converted(x, kind="f"):
    """Return early for numbers; what follows writes into what it is given, in many branches."""
    if x.dtype.kind == kind:
        return x * 1.0
    if kind == "i":
        x *= 255.0
        return x
    if kind == "u":
        if x[0] > 0.5:
            x /= 2.0
        else:
            x[0] = special.pro_cv(0, 0, x[0])
    x += 1.0
    return x


@program("v")
def early_return_before_many_writes(x):
    return np.sum(_converted(x) * _converted(x))


def _sine(v):
    """Ask what it gets, as functions do that take symbols, too."""
    if isinstance(v, str):
        return special.pro_cv(0, 0, v)
    return np.sin(v)


@program("v")
def helper_that_asks_put_in_place(x):
    y = _sine(x)
    return np.sum(y * x)


def _matrix(a):
    c, s = _sine(a), _sine(2.0 * a)
    return np.array([[1.0, c], [s, 0.5]])


@program("v", "s")
def helper_that_asks_in_a_helper(x, a):
    if abs(a) < TINY:
        raise ValueError("too small")
    return np.sum(_matrix(a) * x[0])


TINY = np.finfo(float).eps


def _measured(function):
    @functools.wraps(function)
    def measured(*args, **options):
        axis = options.get("axis")
        if axis is None or axis == -1:
            return function(*args, **options)
        moved = []
        for place, value in enumerate(args):
            moved.append(value if place in PLACES else np.moveaxis(value, axis, -1))
        for name in NAMED:
            options[name] = np.moveaxis(options[name], axis, -1)
        return function(*moved, **options)

    return measured


PLACES, NAMED = {0}, ()


@_measured
def _weighted(x, *, axis=-1):
    chosen = _squared if x.dtype == np.float32 else _cubed
    return chosen(x)


def _squared(x):
    return np.sum(np.square(x, dtype=None))


def _cubed(x):
    return np.sum(x**3)


@program("v")
def decorator_that_moves_axes(x):
    return _weighted(x) * _weighted(2.0 * x)


class _Absent(types.ModuleType):
    """A module that is imported when it is first used, and is not there."""

    def __getattr__(self, name):
        missing = ModuleNotFoundError if name in ("resample", "core") else AttributeError
        raise missing(f"there is no module for {name!r}")


absent = _Absent("absent")


def _resampled(x, rate=1.0):
    if rate > 1.0:
        return absent.resample(x, rate, axis=-1)
    if rate < 0.0:
        return absent.core.resample(x)
    return x * rate


@program("v")
def module_that_cannot_be_imported(x):
    return np.sum(_resampled(x) * _resampled(x, 0.5))


class _Angle:
    turns = 1.0


def cos(t):
    """Have the name of a function of a module that is called beside what is left out."""
    if isinstance(t, _Angle):
        return fractions.Fraction(t.turns)
    return math.cos(t)


def exp(t):
    if isinstance(t, (_Angle, str)):
        return fractions.Fraction(t)
    return np.exp(t)


@program("s")
def helper_with_the_name_of_what_it_calls(t):
    return cos(t) * 2.0


@program("v")
def helper_with_the_name_of_what_it_calls_on_arrays(x):
    return np.sum(exp(x) * cos(x[0]))


def _in_rows(x, several):
    rows = [[0.0, 0.0]] * 2
    if several:
        rows[0][0] = x[0] * x[1]
    return rows


@program("v", by="tape")
def helper_whose_result_would_be_constant_without_a_part(x):
    rows = _in_rows(x, x[0] < 100.0)
    return rows[0][0] + 3.0 * rows[1][0]


@program("v")
def helper_whose_result_is_constant_on_the_way_that_is_gone(x):
    rows = _in_rows(x, x[0] > 100.0)
    return np.sum(x) + rows[0][0] * x[0]


class Release:
    """A number of a release, which compares by its parts."""

    def __init__(self, text: str):
        self.parts = tuple(map(int, text.split(".")))
        self._key = None

    @property
    def key(self):
        if self._key is None:
            self._key = self.parts
        return self._key

    @property
    def base(self) -> str:
        return ".".join(map(str, self.parts))

    def __le__(self, other):
        return self.key <= other.key


def release_of(text: str):
    return Release(text)


NOW = "1.4"


def by_keyword_since(first):
    def decorator(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            now = release_of(NOW)
            now = now.base

            def positional_as_keywords(function, args, kwargs):
                parameters = inspect.signature(function).parameters
                most = sum(1 for p in parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD)
                if len(args) > most:
                    first = list(args[:most])
                    named = dict(kwargs)
                    for parameter, value in zip(list(parameters)[most:], args[most:], strict=True):
                        named[parameter] = value
                    return function(*first, **named)
                return function(*args, **kwargs)

            if release_of(first) <= release_of(now):
                return positional_as_keywords(function, args, kwargs)
            return function(*args, **kwargs)

        return wrapper

    return decorator


@by_keyword_since("1.0")
def _length(x, *, axis=-1):
    return np.sqrt(np.sum(x * x, axis=axis))


@by_keyword_since("2.0")
def _doubled(x, *, times=1):
    return x * 2.0**times


@program("v")
def decorator_that_asks_for_a_release(x):
    return _length(np.sin(x), axis=0)


@by_keyword_since("1.2")
@program("v")
def decorated_helper_of_a_decorated_function(x):
    return np.sum(_doubled(x, times=2) / _length(x))


def _in_a_branch(function, x, *scales):
    if x[0] > 100.0:
        function = np.sin
        scales = list(scales[:1])
        return function(x * scales[0])
    return function(x) * scales[1]


@program("v")
def rebound_in_a_branch_that_returns(x):
    return np.sum(_in_a_branch(np.cos, x, 2.0, 3.0))


def _turned(angle):
    if isinstance(angle, fractions.Fraction):
        return special.pro_cv(0, 0, angle)
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


@program("v")
def helper_that_is_tried_with_a_number_first(x):
    _turned(0)
    angles = np.array(x)
    return np.sum(_turned(angles[0]) @ _turned(angles[1]) @ x[:2])


def _bytes_summed(v):
    parts = v.view(np.uint8)
    return parts.sum()


def _doubled_or_bytes(v):
    if v.dtype.kind in "iu":
        return _bytes_summed(v)
    return v * 2.0


@program("v")
def helper_of_a_branch_that_reads_bytes(x):
    return np.sum(_doubled_or_bytes(x) ** 2)


def _bytes_of_a_copy(v):
    copy = v.copy()
    copy[0] = 3.0
    return copy.view(np.uint8)


@program("v")
def writing_helper_of_a_branch_that_reads_bytes(x):
    if x.dtype.kind == "f":
        y = x * 2.0
    else:
        y = _bytes_of_a_copy(x)
    return np.sum(y * y)


def _crossing(first, second):
    det = first[0] * second[1] - first[1] * second[0]
    if det != 0:
        return (
            (first[2] * second[1] - first[1] * second[2]) / det,
            (first[0] * second[2] - first[2] * second[0]) / det,
        )
    return False


@program("v")
def false_where_there_is_no_result(x):
    point = _crossing((x[0], x[1], 1.0), (x[2], x[3] + 3.0, 2.0))
    if not point:
        return 0.0
    return point[0] * point[1]


def _unit(value):
    return ()


@program("v")
def empty_tuple_that_a_helper_returns(x):
    if _unit(x) == ():
        return np.sum(x * x)
    return np.sum(x)
