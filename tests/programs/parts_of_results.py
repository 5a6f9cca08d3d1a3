"""Several results of a function, of which some parts are read."""

from __future__ import annotations

import numpy as np

from tests.programs.corpus import program


def power(x, n):
    if n == 0:
        return np.sum(x)
    return np.sum(x * power(x, n - 1))


@program("v")
def recursive(x):
    return power(x, 3)


def ackermann_like(x, n=4):
    if n < 2:
        return x[0] * x[1]
    return ackermann_like(x * 0.9, n - 1) + ackermann_like(x[::-1], n - 2) * x[2]


def mutual_a(x, n=3):
    return np.sum(x) if n == 0 else mutual_b(np.sin(x), n - 1) * x[0]


def mutual_b(x, n):
    return mutual_a(x * x, n)


def several(a):
    s = 0.0
    for v in a:
        s = s + v * v
    c = np.cumsum(a)
    return s, c, a * 3


@program("v")
def first_part(x):
    r = several(x)
    return r[0] * x[0]


@program("v")
def two_parts(x):
    r = several(x)
    t = 0.0
    for i in range(2):
        t = t + r[0] * r[2][i]
    return t


@program("v")
def unpacked_parts(x):
    r = several(x)
    s, _, w = r
    return s * np.sum(w)


@program("v")
def last_part(x):
    r = several(x)
    return np.sum(r[-1] * x)


@program("m")
def eig_parts(m):
    r = np.linalg.eigh(m @ m.T)
    return np.sum(r[0] ** 2)


@program("m")
def svd_parts(m):
    _u, s, _v = np.linalg.svd(m, full_matrices=False)
    return np.sum(s * s[0])


@program("m")
def qr_part(m):
    return np.sum(np.linalg.qr(m.T)[1] ** 2)


def _two_amplitudes(x, n):
    first = np.zeros(n)
    second = np.exp(x * np.ones(n))
    for i in range(n):
        first[i] = x * (i + 1)
    second = second * second
    return first, second


@program("s")
def results_scaled_in_place(x):
    first, second = _two_amplitudes(x, 3)
    norm = x * x + 1.0
    first /= norm
    second[1:] *= first[:2]
    second /= norm
    return np.sum(first * second) + np.sum(second)


@program("s")
def results_scaled_in_place_in_a_loop(x):
    total = 0.0
    for i in range(3):
        first, second = _two_amplitudes(x + i, 3)
        first -= total
        second[1] = first[0] * x
        total = total + np.sum(first * second) * 0.01
    return total
