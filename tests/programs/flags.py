"""Arguments that are None, a bool or a text, of which branches ask, and what is broadcast to."""

from __future__ import annotations

import numpy as np

from tests.programs.corpus import program


def _unit(data, axis=None, out=None):
    if out is None:
        data = np.array(data, dtype=np.float64)
        if data.ndim == 1:
            data /= np.sqrt(np.dot(data, data))
            return data
    else:
        if out is not data:
            out[:] = np.array(data)
        data = out
    length = np.atleast_1d(np.sum(data * data, axis))
    np.sqrt(length, length)
    if axis is not None:
        length = np.expand_dims(length, axis)
    data /= length
    return data if out is None else None


@program("v")
def unit_of_a_part(x):
    return np.sum(_unit(x[:3]) * x[1:])


@program("v")
def unit_of_rows_and_of_all(x):
    return np.sum(_unit(np.outer(x, x) + 2.0, axis=1) * x) + np.sum(_unit(x, out=None) * x)


def _measured(x, p, z, h=None, full=False):
    if h is None:
        h = np.eye(len(x))
    y = z - h @ x
    gain = p @ h.T / (1.0 + p[0, 0])
    if full:
        return x + gain @ y, y, gain
    return x + gain @ y, y


@program("v", ("m", 4, 4))
def few_of_several_results(x, p):
    a, b = _measured(x, p, np.ones(4))
    return np.sum(a * b)


@program("v", ("m", 4, 4))
def all_of_several_results(x, p):
    a, _, c = _measured(x, p, np.ones(4), full=True)
    return np.sum(a @ c)


def _reduced(x, kind):
    if kind == "mean":
        return np.mean(x)
    if kind == "in place":
        x *= 3.0
        return np.sum(x)
    raise ValueError(kind)


@program("v")
def one_helper_for_two_texts(x):
    y = x * x
    first = _reduced(y, "mean")
    return first * _reduced(y, "in place")


@program("v")
def own_flags_at_their_defaults(x, axis=None, out=None, kind="square"):
    if kind == "square":
        d = x * x
    elif kind == "abs":
        d = np.abs(x)
    else:
        raise ValueError(kind)
    if out is None:
        d *= 2.0
        out = np.atleast_1d(np.sum(d, axis=axis))
        np.sqrt(out, out)
        return out.sum()
    out[...] = 3.0 * x
    return np.sum(out * d)


@program("v")
def own_result_in_place(x, out=None, twice=False):
    if out is None:
        out = np.cos(x)
    if twice:
        return np.sum(out)
    out *= x
    return np.sum(out)


def _answers(x, kind="mean", full=False):
    if full:
        return np.sum(x), x
    return _reduced(x * x, kind)


@program("v")
def flag_handed_on(x, kind="in place"):
    return _answers(x, kind) * _answers(x)


START = 0.0
SHIFT = 1.6


@program("s")
def updated_number_of_the_module(x):
    total = START
    if x < 5.0:
        total = x * x
    total *= np.exp(-x)
    return total


@program("s")
def grown_number_of_the_module(x):
    total, step = START, SHIFT
    for i in range(3):
        total += x * i
        step -= total
    return step * x


@program("v")
def display_with_a_star(x):
    e = x[1:] * x[0]
    q = np.array([x[0], *e])
    return np.sum(q**3)


@program("v")
def display_with_two_stars(x):
    e = [x[0] * x[1], x[2]]
    return np.sum(np.array([*e, x[3], *x]) ** 2)


@program("v")
def stars_of_a_list_that_grows(x):
    e = [x[1]]
    e.append(x[2] * x[1])
    return np.linalg.norm(np.stack([x[0], *e]))


@program("v", "m")
def broadcast_to_a_shape(x, m):
    shape = np.broadcast(x, m).shape
    return np.sum(np.broadcast_to(x * x, shape) * m)


@program("v", "m")
def broadcast_for_a_result(x, m):
    met = np.broadcast(x, m[:, :1])
    out = np.empty(met.shape)
    out[...] = np.sin(x) * m[:, :1]
    return np.sum(out * out) * met.size + met.ndim


@program("v", ("m", 3, 1), by="tape")
def elements_that_meet(x, m):
    return sum(a * b * a for a, b in np.broadcast(x, m))


def _sized(x, scale=None, shift=None, pairs=False):
    scale = scale or 2.0
    y = x * (pairs and scale or 3.0)
    return y if shift is None or not pairs else y + shift


@program("v")
def alternatives_to_flags(x):
    return np.sum(_sized(x) * x) + np.sum(_sized(x, x[0], x[1], pairs=True))


def _weighed(x, w, k=None):
    return np.sum(x * w) if k is None else np.sum(x * w * k)


@program("v")
def star_of_what_only_the_run_tells(x, rest=(2.0, 3.0)):
    y = x * x
    return _weighed(y, *rest)


@program("v", "t")
def star_into_what_writes(x, t):
    y = x[1:] * 2.0
    total = _added(y, *t)
    return np.sum(y) * np.sum(total)


def _added(y, a, b, twice=False):
    y += a
    if twice:
        y *= 2.0
    return y * b


def _along_an_axis(function):
    """Let a function take any axis for the last one, as decorators of packages do."""

    def moved(*args, **options):
        axis = options.get("axis", None)
        if axis is None:
            return function(*args, **options)
        if np.isscalar(axis):
            axis = (axis,)
        for name in ("weights",):
            options[name] = np.moveaxis(options[name], axis[0], -1)
        return function(*args, **options)

    return moved


@_along_an_axis
def _with_weights(x, weights=2.0):
    return np.sum(np.tanh(x) * weights)


@program("v")
def option_that_is_not_given_to_a_decorator(x):
    return _with_weights(x) * _with_weights(x * x)


def _last_found(x, **options):
    found = options.get("start")
    for value in x:
        if found is None or value > found:
            found = value
    return found


@program("v")
def option_not_given_and_bound_in_a_loop(x):
    return _last_found(x * x) * 3.0
