"""Steps of time from copies of states, parts that keep what they had, and squares of parts."""

from __future__ import annotations

import numpy as np

from tests.programs.corpus import program


@program(("v", 6), "s")
def conduction_from_a_copy(u, k):
    u = u * 1.0
    for _ in range(3):
        before = u.copy()
        u[1:-1] = before[1:-1] + 0.1 * k * (before[2:] - 2.0 * before[1:-1] + before[:-2])
        u[0] = u[1]
    return np.sum(u * u)


@program(("m", 5, 4), ("m", 5, 4))
def pressure_from_copies(p, b):
    p = np.copy(p)
    for _ in range(2):
        for _ in range(2):
            old = np.copy(p)
            around = old[1:-1, 2:] + old[1:-1, :-2] + old[2:, 1:-1] + old[:-2, 1:-1]
            p[1:-1, 1:-1] = 0.25 * around - b[1:-1, 1:-1] * old[1:-1, 1:-1]
            p[:, -1] = p[:, -2]
        b = b * p
    return np.sum(p * b)


@program(("v", 5))
def copy_that_is_read_while_the_adjoint_is(u):
    u = u.copy()
    for _ in range(2):
        before = u.copy()
        for i in range(1, 4):
            u[i] = before[i] + 0.2 * before[i + 1] * u[i - 1]
    return np.sum(u**2)


@program(("v", 5))
def copies_of_copies_and_of_views(u):
    u = u.copy()
    view = u[1:]
    first = u.copy()
    second = first.copy()
    view *= 2.0
    u[1:-1] = first[2:] * second[:-2] + first[1:-1]
    view[0] = view[0] * first[0] + second[3]
    return np.sum(u * u)


@program(("v", 5))
def sums_that_are_no_copies(a):
    x, a = a, a[:1] * 1.0
    for _ in range(2):
        b = a + x
        b[1:] *= x[:-1]
        a[:] = b[2:3] * b[0]
    return np.sum(a * a)


@program(("v", 6), "s")
def parts_that_keep_what_they_had(u, k):
    u = u.copy()
    w = u[1:]
    for i in range(3):
        u[1:-1] = u[1:-1] - 0.3 * k * (u[2:] - 2.0 * u[1:-1] + u[:-2])
        w[:] = w + u[:-1] * k
        u[i] = u[i + 1] * u[i] + u[i] - k
    return np.sum(u * u)


@program(("m", 4, 4))
def numbers_of_lengths(u):
    u = u.copy()
    n, columns = u.shape
    d = 1.0 / n
    q = np.empty(u.shape)
    for _ in range(2):
        q[1 : n - 1, 0] = d
        for j in range(1, columns - 1):
            p = u[j, 0 : n - 2] * d - (1.0 + 2.0 * d) * u[j, 1 : n - 1] + d * u[j, 2:n]
            q[1 : n - 1, j] = p / (2.0 + d * q[1 : n - 1, j - 1])
        u[1 : n - 1, 1 : n - 1] = q[1 : n - 1, 1 : n - 1] * n
    return np.sum(u * u) / columns


@program("m")
def squares_of_parts(a):
    a = a.copy()
    total = 0.0
    for k in range(2):
        total += np.sqrt(np.sum(a[:, k] * a[:, k])) - a[k, 0] * a[k, 0]
        a[:, k + 1] = a[:, k] * a[:, k] / total
    return total - 0.5 * np.sum(a * -a) / np.linalg.norm(a[0] * a[0])
