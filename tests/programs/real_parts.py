"""Real parts of complex numbers that are written under a name of their own."""

from __future__ import annotations

import numpy as np

from tests.programs.corpus import program


@program("v")
def real_parts_under_two_names(x):
    z = (1.0 + 0.5j) * x
    t = np.real(z)
    t[t > 0.1] -= 0.2
    u = t
    return u[0] * np.abs(z[1])


@program("v")
def real_parts_twice_in_a_list(x):
    z = (1.0 + 0.5j) * x
    t = np.real(z)
    t[t > 0.1] -= 0.2
    u = [t] * 2
    return u[0].mean() + np.sum(np.abs(z)) + t.mean()


@program("v")
def real_parts_times_what_they_are_parts_of(x):
    z = (1.0 + 0.5j) * x
    t = z.real
    t[0] = 2.0
    w = np.exp(1j * t)
    return np.abs(np.sum(w * z)) + np.abs(np.sum(t * z)) ** 2


@program("v", "v")
def real_parts_copied_among_complex_numbers(x, y):
    z = x + 1j * y
    t = np.real(z)
    t *= 1.5
    w = np.zeros(len(x), complex)
    w[1:] = t[1:]
    w[0] = z[2]
    s = np.fft.fft(t[::-1])
    return np.abs(np.sum(w * w)) + np.abs(np.sum(s * z)) ** 2


@program("v", "v")
def real_parts_of_which_some_are_selected(x, y):
    z = x + 1j * y
    t = z.real
    for i in range(3):
        if i == 1:
            t = t[1:]
        else:
            t[0] *= y[i]
    u = t[t > -9.0]
    v, w = t[1:2], t
    return np.abs(np.sum(u * z[1:])) ** 2 + np.abs(v[0] * z[0]) + np.sum(w[[0, 0]])


def _turned_and_written(g, c):
    for t in range(2):
        q = 1j * g + 0.5 * g
        f = q.real
        g[2] = f[t]
    return c, g


def _measured_and_written(g):
    q = (1.0 + 2.0j) * g
    g[1] = np.abs(q[0]) ** 2 + q[2].imag


@program("v")
def complex_numbers_of_a_helper_that_writes(x):
    y = x * 1.0
    r, z = _turned_and_written(y, x[0] * 1.0)
    return r + np.sum(z * x)


@program("v")
def complex_numbers_of_a_helper_that_returns_nothing(x):
    y = x * 1.0
    _measured_and_written(y)
    _measured_and_written(y[1:])
    return np.sum(y * y)
