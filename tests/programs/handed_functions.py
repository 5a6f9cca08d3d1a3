"""Functions that are handed to loops and recursions, and what is known beside them."""

from __future__ import annotations

import functools
from functools import partial

import numpy as np
from numpy import select

import srcgrad as sg
from tests.programs.corpus import program


@program("v")
def selected_by_name(x):
    return np.sum(select([x > 1.0, x > 0.5], [x * x, np.sqrt(np.abs(x))], x**3))


@program("v")
def selected_in_steep_choices(x):
    y = np.abs(x) + 0.5
    return np.sum(select([x > 1.0, x > 0.0], [np.log(y), np.sqrt(y)], default=1.0))


@program("v")
def keys_of_a_range(x):
    d = dict.fromkeys(range(3), 1.5)
    d[1] = x[0]
    return d[1] * d[2] * x[1]


@program("v")
def pairs_with_options(x):
    d = dict([("a", x[0])], b=x[1], c=2.0)
    return d["a"] * d["b"] * d["c"]


def _iterated(f, v):
    for _ in range(3):
        v = f(v)
    return v


def _folded(f, v, n):
    return v if n == 0 else _folded(f, f(v), n - 1)


class Scale:
    def __init__(self, k):
        self.k = k

    def by(self, v):
        return np.sin(v) * self.k


@program("v")
def method_handed_on(x):
    s = Scale(x[0])
    return np.sum(_iterated(s.by, x))


@program("v")
def method_handed_on_to_a_recursion(x):
    s = Scale(1.5)
    return np.sum(_folded(s.by, x, 3))


@program("v")
def choice_handed_on(x):
    f = np.sin if x[0] > 0 else np.cos
    return np.sum(_folded(f, x, 2))


@program("v")
def choice_handed_on_to_a_loop(x):
    f = np.sin if x[0] > 0 else np.cos
    return np.sum(_iterated(f, x))


@program("v")
def partial_handed_on(x):
    return np.sum(_folded(partial(np.multiply, x), x, 2))


@program("v")
def derivative_handed_on(x):
    return np.sum(_folded(sg.grad(lambda v: np.sum(v**3) / 3), x * 0.5, 2))


@program("v")
def derivative_of_a_method(x):
    return np.sum(_iterated(sg.grad(lambda v: np.sum(v**2) * x[0]), x))


@program("v")
def lambda_with_a_cell_handed_on(x):
    k = x[0] * 2
    return np.sum(_folded(lambda v: v * k + 1.0, x, 2))


@program("v")
def functions_in_a_dict_handed_on(x):
    d = {"f": np.sin, "g": np.cos}
    return np.sum(_folded(d["f"], x, 2)) * np.sum(d["g"](x))


class Counter:
    total = 2.0

    @classmethod
    def make(cls, v):
        return cls.total * v

    @staticmethod
    def twice(v):
        return v * 2.0

    def __init__(self, w):
        self.w = w

    @sg.grad
    def slope(self, v):
        return np.sum(v**2) * self.w


@program("v")
def method_of_the_class(x):
    c = Counter(3.0)
    return np.sum(c.make(x)) * np.sum(c.twice(x)) * Counter.make(x[0])


@program("v")
def update_of_what_is_known(x):
    f = 2.0
    f *= x[0]
    g = np.pi
    g += x[1]
    return f * g


@program("v")
def item_of_a_list_of_numbers_updated(x):
    k = [1.0, 2.0]
    k[0] *= x[0]
    k[1] -= x[1]
    return k[0] * k[1]


@program("v")
def several_targets_of_an_element(x):
    y = np.zeros(4)
    y[0] = y[1] = x[0] * 2
    a = y[2] = x[1]
    return np.sum(y * y) * a


@program("v")
def option_taken_out(x):
    options = {"scale": 2.0, "shift": x[0]}
    shift = options.pop("shift")
    return np.sum(x * options["scale"]) + shift**2


@program("v")
def options_by_membership(x):
    o = {"a": x[0], "f": np.sin}
    y = o["f"](x) if "f" in o else x
    z = o["a"] if "a" in o and "b" not in o else 0.0
    return np.sum(y) * z


@program("v")
def is_none_known(x, f=None):
    g = np.tanh if f is None else f
    return np.sum(g(x))


@program("v")
def largest_of_a_display(x):
    return max((0.0, x[0])) * min([x[1], 2.0]) + max([x[2], 0.5], key=lambda v: v * v)


@program("v")
def largest_by_key(x):
    return min(x, key=abs) * max(x[0], x[1], key=lambda v: -v)


@program("v")
def largest_with_default(x):
    return max([v for v in x if v > 100.0], default=1.0) * x[0]


@program("v")
def first_above(x):
    for i in range(len(x)):
        y = np.sin(x[i]) * 2
        if y > 0.9:
            return y * x[i]
    return x[0] * x[1]


@program("v")
def first_above_in_a_loop(x):
    total = 0.0
    for k in range(2):
        for i in range(len(x)):
            y = np.exp(x[i]) * (k + 1)
            if y > 2.0:
                total = total + y * x[i]
                break
        else:
            total = total + x[0]
    return total


@program("v")
def tuples_compared(x):
    a, b = x[0], x[1]
    if (a, b) > (0.0, 0.0):
        return a * b
    return a + b


@program("v")
def comparison_chained(x):
    return np.sum(np.where((0.2 < x) & (x < 0.8), x * x, x))


@program("v")
def out_in_a_tuple(x):
    y = np.zeros(4)
    np.exp(x, out=(y,))
    return np.sum(y * x)


@program("v")
def filled_by_parts(x):
    y = np.zeros((2, 2))
    y.flat[:] = x
    y.flat[1] = x[0] * x[1]
    return np.sum(y**2)


@program("v")
def loop_in_a_fresh_array(x):
    y = np.zeros(4)
    for i in range(1, 4):
        y[i] = y[i - 1] * 0.5 + x[i]
    z, w = y, x * 2
    z[0], w[0] = x[0], x[1]
    return np.sum(z * w)


@program("v")
def annotated_array(x):
    y: np.ndarray = np.zeros(4)
    for i in range(4):
        y[i] = x[i] ** 2
    return np.sum(y)


@program("v")
def either_new_array(x):
    y = np.zeros(4) if x[0] > -100 else np.ones(4)
    for i in range(4):
        y[i] += x[i] ** 2
    return np.sum(y * x)


@program("v")
def managed(x):
    with np.errstate(all="ignore"):
        y = np.zeros(4)
        y[1:] = np.sqrt(np.abs(x[1:]) + 0.1)
    return np.sum(y)


@program("v")
def joined_parts(x):
    y = np.concatenate([x[:2] * 2, np.sqrt(np.abs(x[2:]) + 0.1)])
    return np.sum(np.where(y > 0.8, y, 0.0))


@program("v")
def stacked_rows(x):
    y = np.stack([np.log(np.abs(x) + 0.5), x * x])
    return np.sum(np.where(y > 0, y, 0.0)) + np.sum(y[0] * x)


@program("v")
def added_parts(x):
    a = np.sqrt(np.abs(x) + 0.1)
    y = a[:, None] + a
    return np.sum(np.where(y > 1.0, y, 0.0))


@program("v")
def repeated_and_tiled(x):
    a = np.sqrt(np.abs(x) + 0.1)
    y = np.repeat(a, 2) * np.tile(x, 2)
    return np.sum(np.where(y > 0.2, y, 0.0))


@program("v")
def negated_shifted(x):
    a = np.log(np.abs(x) + 0.2)
    y = -a + 1.0
    return np.sum(np.maximum(y[1:-1], 0.1)) + np.sum(y[np.array([0, 2])])


def _checked(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        def with_names(function, args, kwargs):
            if len(args) > 5:
                return function(*args[:5], **kwargs)
            return function(*args, **kwargs)

        return with_names(function, args, kwargs)

    return wrapper


@_checked
def _steps(x, along=False):
    d = np.sqrt(np.diff(x) ** 2 + 1.0)
    if along:
        return np.cumsum(d)
    return np.sum(d)


def _middle(x):
    n = x.shape[0]
    if n == 1:
        return x.copy()
    lengths = np.zeros(n)
    lengths[1:] = _steps(x, along=True)
    where = np.where(lengths > lengths[-1] / 2.0)[0][0]
    share = lengths[where] / lengths[-1]
    return share * x[where] + (1 - share) * x[where - 1]


@program("v")
def decorated_helper_that_hands_its_function_on(x):
    return _middle(x * 2.0) ** 2 + _steps(x)


def _without(x, key=None):
    if key is None:
        return _without(x, key=_mean_taken_off)
    return key(np.asarray(x)) * 2.0


def _mean_taken_off(x):
    return x - np.mean(x)


@program("v")
def helper_that_calls_itself_with_a_function(x):
    y = x * x
    z = _without(y)
    y[0] = 1.0
    return np.sum(z * y)


def _reductions_for(data, without_nan=False):
    if isinstance(data, np.ma.MaskedArray):
        middle, total = np.ma.median, np.ma.sum
    elif without_nan:
        middle = np.nanmedian
        total = np.nansum
    else:
        middle = np.median
        total = np.sum
    return middle, total


def _location(data, c=6.0, *, without_nan=False):
    middle, total = _reductions_for(data, without_nan=without_nan)
    data = np.asanyarray(data).astype(np.float64)
    around = data - middle(data, axis=None)
    return total(around**2 * (1.0 - (around / c) ** 2)) / c + middle(data)


@program("v")
def reductions_that_a_helper_picks_for_data(x):
    return _location(x) + _location(x, without_nan=True)


def _total_of(without_nan):
    if without_nan:
        chosen = np.nansum
    else:
        chosen = np.sum
    return chosen


@program("v")
def total_that_a_helper_picks_by_a_flag(x):
    total = _total_of(False)
    return total(x**2) * _total_of(True)(x)


def _cubed(v):
    return v**3


def _squared(v):
    return v * v


def _power_and_value(v, n=2):
    if n == 2:
        return _squared, v
    return _cubed, v * 2.0


@program("v")
def function_beside_a_value_from_a_helper(x):
    power, value = _power_and_value(x, 3)
    other, same = _power_and_value(x)
    return np.sum(power(value) + other(same))


class _Shaped:
    def __init__(self, name):
        self.power, _ = _power_and_value(1.0, 2 if name == "square" else 3)

    def __call__(self, v):
        return self.power(v)


@program("v")
def function_that_an_object_gets_of_a_helper(x):
    return np.sum(_Shaped("square")(x)) - np.sum(_Shaped("cube")(x))
