"""Functions as arguments, results, options and elements of lists."""

from __future__ import annotations

import functools
import math

import numpy as np

from tests.programs.corpus import program

STEPS = [np.sin, np.tanh, lambda v: v * v]
RULES = {"relu": lambda v: np.maximum(v, 0.0), "tanh": np.tanh, "square": np.square}


def _rk4(f, y, t, dt, *args):
    k1 = f(y, t, *args)
    k2 = f(y + 0.5 * dt * k1, t + 0.5 * dt, *args)
    k3 = f(y + 0.5 * dt * k2, t + 0.5 * dt, *args)
    k4 = f(y + dt * k3, t + dt, *args)
    return y + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)


@program(("v", 2), "s", "s")
def runge_kutta_of_a_pendulum(y0, damping, length):
    def pendulum(y, t):
        return np.array([y[1], -damping * y[1] - 9.81 / length * np.sin(y[0])])

    y = y0
    for i in range(5):
        y = _rk4(pendulum, y, 0.05 * i, 0.05)
    return np.sum(y * y)


def _decay(y, t, k, shift):
    return -k * y + shift * np.cos(t)


@program("v", "s", "s")
def runge_kutta_with_further_arguments(y0, k, shift):
    y = _rk4(_decay, y0, 0.0, 0.1, k, shift)
    return np.sum(_rk4(_decay, y, 0.1, 0.1, k, 2.0) ** 2)


def _solve(f, y0, *, steps=4, dt=0.1, method="euler", callback=None, **options):
    y = y0
    for i in range(steps):
        t = i * dt
        if method == "euler":
            y = y + dt * f(y, t, **options)
        elif method == "midpoint":
            y = y + dt * f(y + 0.5 * dt * f(y, t, **options), t + 0.5 * dt, **options)
        else:
            raise ValueError(method)
        if callback is not None:
            y = callback(y)
    return y


@program("v", "s")
def solver_with_options(y0, k):
    a = _solve(lambda y, t: -k * y, y0)
    b = _solve(lambda y, t, rate: -rate * y * y, y0, method="midpoint", steps=3, rate=k)
    c = _solve(_decay, a, callback=np.tanh, dt=0.2 * k, k=k, shift=0.5)
    return np.sum(a * b * c)


def _newton(f, slope, x, n):
    if n == 0:
        return x
    return _newton(f, slope, x - f(x) / slope(x), n - 1)


@program("s")
def newton_by_recursion(a):
    return _newton(lambda x: x * x - a, lambda x: 2.0 * x, a + 1.0, 4)


def _twice(f):
    return lambda v: f(f(v))


@program("v", "s")
def function_of_functions(x, k):
    return np.sum(_twice(_twice(lambda v: k * np.sin(v)))(x))


def _applied(functions, x):
    for f in functions:
        x = f(x)
    return x


@program("v", "s")
def list_of_functions(x, k):
    return np.sum(_applied([np.sin, lambda v: k * v, np.tanh], x)) + np.sum(_applied(STEPS, x))


@program("v", "n")
def functions_by_index(x, n):
    y = x
    for i in range(n):
        y = STEPS[i](y) + 0.1 * x
    return np.sum(y * STEPS[-1](x) + STEPS[0](y))


@program("v")
def function_by_key(x):
    return np.sum(RULES["tanh"](x)) + np.sum(_activated(x, "square") * _activated(x, "relu"))


def _activated(v, name="tanh"):
    return RULES[name](v)


@program("v", "s")
def local_table_of_functions(x, k):
    table = {"a": lambda v: k * v, "b": np.sin}
    total = 0.0
    for name, f in table.items():
        total = total + np.sum(f(x)) * len(name)
    key = "a" if k > 1.0 else "b"
    return total + np.sum(table[key](x) * table["b"](x))


@program("v", "s")
def reduce_over_values(x, k):
    total = functools.reduce(lambda a, b: a * k + b, [x[0], x[1], x[2]], 1.0)
    return total + functools.reduce(lambda a, b: np.sin(a) + b, x, k)


@program("v", "s")
def map_over_functions_and_values(x, k):
    parts = [f(x) for f in STEPS]
    return np.sum(parts[0] * parts[2]) + sum(map(lambda v: k * v * v, (x[0], x[1])))


_curve = functools.partial(_decay, shift=0.7)
_table = functools.partial(np.clip, a_min=-0.5, a_max=0.5)


@program("v", "s")
def partial_of_the_module(x, k):
    return np.sum(_curve(x, 0.3, k) * _table(x))


def _logged(f):
    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        return f(*args, **kwargs) + 1.0

    return wrapper


def _scaled(factor):
    def decorate(f):
        @functools.wraps(f)
        def wrapper(v, *rest):
            return factor * f(v, *rest)

        return wrapper

    return decorate


@_logged
@_scaled(3.0)
def _decorated(v, k=2.0):
    return np.sin(v) * k


@program("v", "s")
def decorated_helper(x, k):
    return np.sum(_decorated(x) * _decorated(x, k))


@functools.cache
def _binomial(n, k):
    if k in (0, n):
        return 1
    return _binomial(n - 1, k - 1) + _binomial(n - 1, k)


@functools.cache
def _chebyshev(n, x):
    if n == 0:
        return 1.0
    if n == 1:
        return x
    return 2.0 * x * _chebyshev(n - 1, x) - _chebyshev(n - 2, x)


@program("s")
def memoised_recursion(x):
    total = 0.0
    for n in range(5):
        total = total + _binomial(4, n) * _chebyshev(n, x)
    return total


@program("v", "s")
def optimiser_with_callbacks(w, rate):
    def loss_slope(v):
        return 2.0 * v + np.cos(v)

    def momentum(step, previous):
        return step + 0.9 * previous

    def descend(slope, combine, v, steps):
        velocity = np.zeros_like(v)
        for _ in range(steps):
            velocity = combine(-rate * slope(v), velocity)
            v = v + velocity
        return v

    best = descend(loss_slope, momentum, w, 3)
    return np.sum(best * best)


def _simpson(f, a, b, n=4):
    h = (b - a) / n
    total = f(a) + f(b)
    for i in range(1, n):
        total = total + (4.0 if i % 2 else 2.0) * f(a + i * h)
    return total * h / 3.0


@program("s", "s")
def quadrature_of_a_closure(a, k):
    inner = _simpson(lambda t: math.exp(-k * t * t), 0.0, a)
    return _simpson(lambda t: inner * t + k, 0.0, inner)


def _fixed_point(g, x, n, damping=None):
    mix = damping if damping is not None else (lambda new, old: new)
    for _ in range(n):
        x = mix(g(x), x)
    return x


@program("v", "s")
def optional_function(x, k):
    a = _fixed_point(lambda v: 0.5 * np.cos(k * v), x, 3)
    b = _fixed_point(np.sin, x, 2, damping=lambda new, old: 0.5 * (new + old))
    return np.sum(a * b)


@program("m", "M", "v")
def layers_of_functions(a, b, v):
    dense = lambda w: lambda u: np.tanh(u @ w)  # noqa: E731
    first, second = dense(a.T), dense(b.T @ a.T)
    return np.sum(first(v)) + np.sum(second(np.ones(2)) * 0.5)


@program("v", "s", by="tape")
def list_of_functions_of_the_module_is_written(x, k):
    STEPS[0] = np.cos
    y = STEPS[0](x)
    STEPS[0] = np.sin
    return np.sum(y) * k


def _last_of_more(functions, x):
    functions.append(np.tanh)
    return functions[-1](x)


@program("v", "s")
def list_of_functions_grows_in_a_helper(x, k):
    functions = [np.sin]
    same = functions
    y = _last_of_more(functions, x)
    return np.sum(same[-1](y)) * k


@program("v", "s", by="tape")
def function_replaced_in_a_try_that_fails(x, k):
    f = np.sin
    try:
        k = k / len(x[:0])
        f = np.cos
    except ZeroDivisionError:
        k = 2.0 * k
    return np.sum(f(x)) * k


@functools.lru_cache(maxsize=None)
def _sum_of_two_before(n, a, b):
    if n < 2:
        return b if n else a
    return _sum_of_two_before(n - 1, a, b) * 0.5 + _sum_of_two_before(n - 2, a, b) * a


@program("v")
def cache_that_met_the_same_numbers_before(x):
    _sum_of_two_before(6, float(x[0]), float(x[1]))
    return _sum_of_two_before(6, x[0], x[1])
