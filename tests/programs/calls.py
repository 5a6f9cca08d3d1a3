"""Programs that call: defaults, keywords, recursion, tuples, dicts, rules of the user's own."""

from __future__ import annotations

import functools

import numpy as np

import srcgrad as sg
from tests.programs.corpus import program

TABLE = np.array([1.0, 2.0, 3.0, 4.0])


def _scaled(x, k=2.0, *, s=3.0):
    return x * k + s * x * x


def _product_and_sum(pair):
    a, b = pair
    return a * b, a + b


def _relabelled(d):
    return {"u": d["v"] * 2.0, "w": d["w"]}


def _even(x, n):
    if n == 0:
        return x * x
    return _odd(x, n - 1) * 2.0


def _odd(x, n):
    if n == 0:
        return x
    return _even(x, n - 1) + x


def _tail(x):
    return x[1:]


def _energy(u):
    return np.sum(u * u) * 0.1


def _overwrites_first(b):
    b[0] = 5.0


def _chosen(u, a):
    if a > 0.3:
        return u * a
    return np.cos(u)


def _fills(u, a):
    r = np.zeros(4)
    for k in range(4):
        r[k] = u[k] * a
    r[1:] += 0.1 * u[:-1]
    return r


def _outer_of_inner(x):
    return _scaled(np.sin(x), s=_energy(x))


@program("v")
def defaults_and_keywords(x):
    return (
        np.sum(_scaled(x)) + np.sum(_scaled(x, 3.0, s=1.0)) + np.sum(_scaled(s=x[0], x=x, k=x[1]))
    )


@program("v")
def tuple_in_and_out(x):
    first = _product_and_sum((x, x[0]))
    second = _product_and_sum(first)
    return np.sum(second[0] * second[1])


@program("v")
def dict_in_and_out(x):
    made = _relabelled({"v": x, "w": x[0]})
    return np.sum(made["u"] * made["w"])


@program("v", "n")
def mutual_recursion(x, n):
    return np.sum(_even(x, n))


@program("v")
def result_is_a_view(x):
    y = x * 1.0
    tail = _tail(y)
    return np.sum(tail * tail) + np.sum(y)


@program("v")
def helper_writes_into_a_constant(x):
    b = np.ones(4)
    y = x * b
    _overwrites_first(b)
    return np.sum(y * x * b)


@program("v")
def last_call_of_a_loop_counts(x):
    u = x * 1.0
    for _ in range(3):
        u = _chosen(x, 0.9)
    return np.sum(np.sin(u))


@program("v", "s")
def helper_that_fills(x, s):
    return np.sum(_fills(x, s) * _fills(TABLE, s))


@program("v")
def calls_within_calls(x):
    return np.sum(_outer_of_inner(_outer_of_inner(x * 0.3)))


@functools.lru_cache
def _cached(n):
    return n * 2.0


@program("v")
def cached_constant(x):
    return np.sum(x * x) * _cached(3)


def _made(c):
    def inner(x):
        return np.sum(np.sin(x) * c)

    return inner


closure_over_array = program("v")(_made(TABLE))


class Square(sg.autograd.Function):
    """A rule that calls a helper in its backward."""

    @staticmethod
    def forward(ctx, x, k=2.0):
        ctx.save_for_backward(x)
        ctx.k = k
        return x * x * k

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return _doubled_product(grad, x) * ctx.k, None


def _doubled_product(g, x):
    return 2.0 * g * x


class SquareByLoop(sg.autograd.Function):
    """A rule with control flow, which is called and not put in place."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        if x.ndim > 1:
            return x * 2.0
        y = np.zeros_like(x)
        for i in range(len(x)):
            y[i] = x[i] ** 2
        return y

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        if x.ndim > 1:
            return grad * 2.0
        return 2.0 * grad * x


class ProductAndSum(sg.autograd.Function):
    """A rule with two outputs that asks what is needed."""

    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x * y, x + y

    @staticmethod
    def backward(ctx, grad_product, grad_sum):
        x, y = ctx.saved_tensors
        grad_x = grad_product * y + grad_sum if ctx.needs_input_grad[0] else None
        grad_y = grad_product * x + grad_sum if ctx.needs_input_grad[1] else None
        return grad_x, grad_y


@program("v")
def own_rule(x):
    return np.sum(Square.apply(x)) + np.sum(Square.apply(np.sin(x), 3.0))


@program("v")
def own_rule_with_control_flow(x):
    return np.sum(SquareByLoop.apply(x) * x) + np.sum(SquareByLoop.apply(np.outer(x, x)))


@program("v", "v")
def own_rule_with_two_results(x, y):
    a, b = ProductAndSum.apply(x, y)
    both = ProductAndSum.apply(x, x)
    return np.sum(a * b) + np.sum(both[0])


@program("v")
def own_rules_in_a_loop(x):
    y = x * 1.0
    total = 0.0
    for _ in range(3):
        y = np.tanh(Square.apply(y, 0.3)) + SquareByLoop.apply(y) * 0.1
        total = total + np.sum(y)
    return total


@program("v")
def locals_named_as_what_is_generated(x):
    grad_x = x * 2.0
    grad_y = np.sin(grad_x)
    saved = grad_y * x
    y = saved * grad_x
    out = y
    return np.sum(out * y)


@program("v")
def names_beyond_ascii(x):
    α = x * 2.0
    Δt = 0.1
    β = np.sin(α) * Δt
    return np.sum(α * β)


@program("v")
def argument_is_written_after_the_call(x):
    y = np.sin(x)
    y[::2] -= _energy(y)
    return np.sum(np.sin(y))


def _checked(v, name):
    if not isinstance(v, (list, np.ndarray)) or v[0] > 100.0:
        raise ValueError(f"{name} is {v}")


@program("v")
def checks_that_only_raise(x):
    for _ in range(2):
        _checked(x, name="x")
        x = x * x
    _checked(x * 2.0, "twice x")
    return np.sum(x)


def _centred(x):
    q = np.outer(x, x)
    q -= q.mean(axis=0)
    q[:, 1:] *= x[:, None]
    return q, q[0, 1]


def _refusing(x):
    total = x[0] * 0.0
    total += 1.0
    if total > 0.0:
        raise ValueError
    return x


@program("v", "s")
def results_that_nobody_reads(x, k):
    _centred(x)
    y = x * k
    for v in x:
        _centred(y * v)
    if k > 0.0:
        _centred(x * k)
    q, s = _centred(y)
    _centred(q[0])
    return np.sum(q) * s


@program("v")
def result_that_an_error_replaces(x):
    y = x
    try:
        _refusing(x)
        y = y * 2.0
    except ValueError:
        y = y * 3.0
    return np.sum(y * x)


def _put_first(x):
    x[0] = x[0] * 3.0
    return x[1:]


@program("v")
def method_of_what_was_computed_before_a_write(x):
    y = x * 1.0
    return (y[1:] * y[0]).dot(_put_first(y)) + y[0]


@program("m", "n")
def axis_counted_from_the_end(a, axis):
    place = np.lib.array_utils.normalize_axis_index(axis - 4, a.ndim)
    return np.sum(np.cumsum(np.moveaxis(a, place, 0) ** 2, axis=0))
