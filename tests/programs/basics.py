"""Small programs of every construct that is differentiated by source, each with its arguments."""

from __future__ import annotations

import math

import numpy as np
from numpy import tanh as hyperbolic_tangent

from tests.programs.corpus import program

SCALE = 1.5
WEIGHTS = np.linspace(-1.0, 1.0, 4)


@program("v")
def polynomial(x):
    return np.sum(x**3 - 2.0 * x**2 + x - 1.0)


@program("s", "s")
def scalar_arithmetic(x, y):
    z = x * y + x / y - y
    return z * z - 3.0 * x


@program("s")
def python_math(x):
    return math.sin(x) * math.exp(-x * x) + math.sqrt(x * x + 1.0)


@program("v", "v")
def broadcasting_rows(x, y):
    z = x[:, None] * y[None, :] + y
    return np.sum(np.sin(z))


@program("m", "v")
def broadcasting_bias(x, b):
    return (x + b).mean() + np.sum(x * b / (1.0 + b**2))


@program("m", "M")
def matrix_product(a, b):
    return np.sum(np.tanh(a @ b))


@program("m", "v")
def matrix_vector(a, x):
    y = a @ x
    return y @ y


@program("v", "v")
def inner_product(x, y):
    return np.dot(x, y) ** 2


@program("v")
def reused_names(x):
    x = x * 2.0
    x = np.sin(x) + x
    x = x * x
    return x.sum()


@program("s")
def branch_on_value(x):
    if x > 0.5:
        y = x * x
    elif x > 0.0:
        y = 3.0 * x
    else:
        y = -x
    return y * y


@program("s", "s")
def branch_touching_one(x, y):
    z = x
    if y > 0.0:
        z = x * y
    return z + x


@program("s")
def early_return(x):
    if x > 10.0:
        return x
    y = x * x
    if y > 100.0:
        return y
    return y * x


@program("s")
def conditional_expression(x):
    y = x * x if x > 0 else -x
    return y + (1.0 if y > 1 else x)


@program("s", "n")
def power_by_loop(x, n):
    y = 1.0
    for _ in range(n):
        y = y * x
    return y


@program("v", "n")
def recurrence(x, n):
    a = x
    for _ in range(n):
        a = a * x + np.sin(a)
    return np.sum(a)


@program("v")
def loop_over_elements(x):
    total = 0.0
    for v in x:
        total += v * v * v
    return total


@program("v")
def loop_with_index(x):
    total = 0.0
    for i, v in enumerate(x):
        total = total + (i + 1) * np.sin(v)
    return total


@program("v", "v")
def loop_over_pairs(x, y):
    total = 0.0
    for a, b in zip(x, y):
        total += a * b * b
    return total


@program("m")
def loop_over_rows(a):
    total = 0.0
    for row in a:
        total = total + np.sum(row**2) * row[0]
    return total


@program("v", "n")
def nested_loops(x, n):
    total = 0.0
    for i in range(n):
        inner = 1.0
        for j in range(i + 1):
            inner = inner * x[j] + x[i]
        total += inner * inner
    return total


@program("v")
def branch_inside_loop(x):
    total = 0.0
    for i in range(len(x)):
        if x[i] > 0:
            total = total + x[i] ** 2
        else:
            total = total - 3.0 * x[i] * total
    return total


@program("s")
def while_newton(a):
    x = a
    while abs(x * x - a) > 1e-12:
        x = 0.5 * (x + a / x)
    return x * x * x


@program("v")
def while_counter(x):
    i = 0
    total = 1.0
    while i < len(x):
        total = total * (1.0 + x[i] ** 2)
        i += 1
    return total


@program("v")
def zero_trips(x):
    total = np.sum(x)
    for i in range(0):
        total = total * x[i]
    return total


@program("v")
def loop_variable_after(x):
    total = 0.0
    for i in range(len(x)):
        total += x[i] ** 2
    return total * x[i]


def _square_sum(x):
    return np.sum(x * x)


def _pair(x, y, scale=2.0):
    u = x * y * scale
    return u, np.sin(x)


def _factorial_like(x, n):
    if n == 0:
        return 1.0
    return x * _factorial_like(x, n - 1) + n


def _branching(x, flag):
    if flag:
        return x * x
    return np.sin(x)


@program("v")
def call_function(x):
    return _square_sum(np.sin(x)) + _square_sum(x)


@program("v", "v")
def call_two_results(x, y):
    u, v = _pair(x, y)
    w, _ = _pair(y, x, scale=0.5)
    return np.sum(u * v + w)


@program("s", "n")
def call_recursive(x, n):
    return _factorial_like(x, n)


@program("v")
def call_in_loop(x):
    total = 0.0
    for i in range(len(x)):
        total = total + _branching(x[i], i % 2 == 0) * total + x[i]
    return total


@program("v")
def globals_and_constants(x):
    return np.sum(hyperbolic_tangent(x * WEIGHTS) * SCALE * np.pi)


@program("m")
def methods_and_attributes(a):
    b = a.T @ a
    n = a.shape[0]
    return b.sum() / n + a.mean(axis=0).max() + a.reshape(-1)[2] + a.ravel()[0] * a.size


@program("m")
def axis_reductions(a):
    shifted = a - a.max(axis=1, keepdims=True)
    e = np.exp(shifted)
    p = e / e.sum(axis=1, keepdims=True)
    return -np.mean(np.log(p[:, 0])) + np.sum(a.min(axis=0)) + a.sum(axis=(0, 1))


@program("v")
def slices(x):
    d = x[1:] - x[:-1]
    return np.sum(d * d) + np.sum(x[::2]) * x[-1] + x[1:-1].sum() ** 2


@program("v")
def integer_array_index(x):
    index = np.array([0, 2, 2, 1])
    return np.sum(x[index] ** 2)


@program("v")
def boolean_mask(x):
    return np.sum(x[x > 0] ** 2)


@program("v")
def tuple_assignment(x):
    a, b = x[0], x[1]
    a, b = b * a, a + b
    a, b = b, a
    return a * a * b


@program("v")
def unpacking(x):
    a, b, c, d = x
    return a * b - c * d


@program("v")
def chained_assignment(x):
    a = b = x * x
    return np.sum(a * b)


@program("v")
def where_and_extremes(x):
    y = np.where(x > 0, x * x, -x)
    return np.sum(np.maximum(y, 0.5) * np.minimum(x, 0.3)) + np.sum(np.abs(x))


@program("v", "v")
def joining(x, y):
    z = np.concatenate([x, y * 2.0, x])
    w = np.stack((x, y), axis=1)
    return np.sum(np.sin(z)) + np.sum(w[:, 0] * w[:, 1])


@program("v")
def fill_array(x):
    y = np.zeros(len(x))
    for i in range(len(x)):
        y[i] = x[i] ** 2
    return np.sum(y * x)


@program("v")
def fill_recurrence(x):
    n = len(x)
    y = np.zeros(n + 1)
    y[0] = x[0]
    for i in range(n):
        y[i + 1] = y[i] * x[i] + np.sin(y[i])
    return y[n] + np.sum(y)


@program("v")
def overwrite_element(x):
    y = np.zeros(3)
    y[0] = x[0] * x[1]
    y[0] = y[0] * x[2]
    y[1] += x[1]
    y[1] *= x[2]
    return np.sum(y * y)


@program("m")
def fill_rows(a):
    out = np.empty((a.shape[0], a.shape[1]))
    for i in range(a.shape[0]):
        out[i] = a[i] * np.sum(a[i])
    return np.sum(np.sin(out))


@program("v", "n")
def time_stepping(u0, n):
    u = u0.copy()
    for _ in range(n):
        lap = np.zeros(len(u0))
        lap[1:-1] = u[2:] - 2.0 * u[1:-1] + u[:-2]
        u = u + 0.1 * lap
    return np.sum(u**2)


@program("v", "n")
def time_stepping_in_place(u0, n):
    u = u0.copy()
    for _ in range(n):
        u[1:-1] += 0.1 * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return np.sum(u**2)


@program("v", "n")
def nonlinear_in_place(u0, n):
    u = u0 * 1.0
    for _ in range(n):
        u[1:] = u[1:] - 0.1 * u[1:] * (u[1:] - u[:-1])
    return np.sum(u**3)


@program("v")
def read_then_overwrite(x):
    y = x * 1.0
    t = y[1:] * y[:-1]
    s = np.sin(y)
    y[0] = 5.0
    return np.sum(t) + np.sum(s) + np.sum(y)


@program("s")
def aug_assign_scalar(x):
    y = x
    y += x * x
    y *= 2.0
    y -= 1.0 / x
    y /= x
    return y


@program("v")
def aug_assign_array(x):
    y = x * 2.0
    y += x
    y *= np.sin(x)
    return np.sum(y)


@program("d")
def dict_parameters(params):
    h = np.tanh(params["w"] @ params["w"].T + params["b"][0])
    return np.sum(h) * params["b"][1]


@program("t")
def tuple_parameter(pair):
    a, b = pair
    return np.sum(a * a) * np.sum(b)


@program("t")
def tuple_parameter_by_index(pair):
    return np.sum(pair[0] * pair[1]) + pair[0][0]


@program("v", "s")
def keyword_arguments(x, y=2.0):
    return np.sum(x) * y + np.sum(x, axis=0, keepdims=True)[0]


@program("v")
def assertions_and_effects(x):
    """A docstring, an assertion, an annotation."""
    assert len(x) > 1, "too short"
    y: float = np.sum(x)
    pass
    return y * y


@program("v")
def unused_parts(x):
    y = np.sin(x)
    z = np.cos(x)
    for i in range(3):
        z = z * y
    return np.sum(y)


@program("v")
def constant_result_branch(x):
    flag = len(x) > 100
    y = np.sum(x)
    if flag:
        y = 0.0
    return y * y


@program("s", "n")
def state_swap(x, n):
    a, b = x, 1.0
    for _ in range(n):
        a, b = b * x, a + b * x
    return a * b


@program("v")
def conditional_fill(x):
    y = np.zeros(len(x))
    for i in range(len(x)):
        if x[i] > 0:
            y[i] = x[i] * x[i]
        else:
            y[i] = 2.0
    return np.sum(y * y)


@program("m")
def double_loop_fill(a):
    n, m = a.shape
    out = np.zeros((n, m))
    for i in range(n):
        for j in range(m):
            out[i, j] = a[i, j] * a[j % n, i]
    return np.sum(out**2)
