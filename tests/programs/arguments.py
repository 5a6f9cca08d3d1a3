"""Programs that write into their arguments, or have helpers that do and return nothing."""

from __future__ import annotations

import numpy as np

from tests.programs.corpus import program


def relax(u, weight=0.5):
    """Average the inner points with their neighbours, in place."""
    u[1:-1] = (1 - weight) * u[1:-1] + 0.5 * weight * (u[:-2] + u[2:])


def scale(u, s):
    u *= s
    return u


def sweep(u, s):
    total = 0.0
    for i in range(1, len(u)):
        u[i] += s * u[i - 1]
        total += u[i]
    return total


def both_ends(u):
    u[0] = u[1]
    u[-1] = u[-2]


def step(u, v, dt):
    v -= dt * np.sin(u)
    u += dt * v
    both_ends(u)


def fill_into(out, x):
    for k in range(len(x)):
        out[k] = x[k] ** 2


@program("v")
def element_overwritten(x):
    x[0] = x[1] * x[2]
    return np.sum(x * x)


@program("v", "v")
def updated_argument(x, y):
    x += y
    y *= x
    return np.sum(x * y)


@program("v", "s")
def argument_updated_by_a_number(x, s):
    x *= s
    x -= s
    x /= 2.0 + s * s
    x **= 2
    return np.sum(x * np.arange(4.0))


@program("v")
def number_of_an_element_kept(x):
    first = x[0]
    x[0] = 3.0
    x[1:] *= first
    return np.sum(x * x)


@program("v")
def view_of_the_argument(x):
    tail = x[1:]
    tail *= 2.0
    x[1] = tail[1] * x[0]
    return np.sum(x * x) + np.sum(tail)


@program("m")
def rows_of_the_argument(m):
    for row in m:
        row -= np.mean(row)
        row /= 1.0 + np.sum(row * row)
    return np.sum(m * np.arange(12.0).reshape(3, 4))


@program("m")
def transposed_argument(m):
    t = m.T
    t[0] = m[:, 1] * 2.0
    t[1:] += t[:-1]
    return np.sum(m * m)


@program("v")
def argument_overwritten_whole(x):
    y = x * x
    x[:] = np.sin(y)
    x[...] += y
    return np.sum(x * x)


@program("v", "v")
def buffers_of_the_caller(u, v):
    for _ in range(3):
        v[1:-1] = u[1:-1] * 0.5 * (u[:-2] + u[2:])
        v[0], v[-1] = u[0], u[-1]
        u, v = v, u
    return np.sum(u * u)


@program("v")
def helper_that_returns_nothing(x):
    u = x.copy()
    relax(u)
    relax(u, 0.3)
    return np.sum(u * u)


@program("v", "s")
def helper_in_a_time_loop(x, s):
    u = x.copy()
    for _ in range(3):
        relax(u, weight=0.1 * s)
        u[0] = u[-1]
    return np.sum(u * u)


@program("v")
def helper_on_a_view(x):
    u = np.zeros(6)
    u[1:-1] = x
    relax(u[1:])
    relax(u[::-1], 0.2)
    return np.sum(u * np.arange(6.0))


@program("v", "s")
def helper_that_returns_its_argument(x, s):
    u = x.copy()
    w = scale(u, s)
    w[0] = 1.0
    return np.sum(u * x)


@program("v", "s")
def helper_with_a_loop_and_a_result(x, s):
    u = x.copy()
    total = sweep(u, 0.5 * s)
    total += sweep(u[1:], s)
    return total * np.sum(u)


@program("v", "v", "s")
def helper_that_calls_a_helper(u, v, dt):
    u, v = u.copy(), v.copy()
    for _ in range(3):
        step(u, v, 0.1 * dt)
    return np.sum(u * u) + np.sum(v * v)


@program("v", "v")
def helper_on_the_arguments_themselves(u, v):
    step(u, v, 0.2)
    return np.sum(u * v)


@program("v")
def helper_that_fills_an_array(x):
    out = np.zeros(4)
    fill_into(out, x)
    fill_into(out[1:], out[:3])
    return np.sum(out * out)


@program("v")
def helper_given_the_same_array_twice(x):
    u = x * 1.0
    fill_into(u, u)
    step(u, u[:], 0.1)
    return np.sum(u * u)


@program("m")
def helper_on_rows(m):
    a = m * 1.0
    for i in range(3):
        both_ends(a[i])
        relax(a[i])
    return np.sum(a * a)


@program("v", "s")
def helper_in_a_branch(x, s):
    u = x.copy()
    if s > 0.5:
        relax(u)
    else:
        both_ends(u)
    for k in range(3):
        if k != 1:
            both_ends(u)
        u *= u
    return np.sum(u)
