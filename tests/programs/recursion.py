"""Functions that call themselves, and are differentiated themselves."""

from __future__ import annotations

import numpy as np

from tests.programs.corpus import program


@program("s", "n")
def power(x, n):
    if n == 0:
        return 1.0
    return x * power(x, n - 1)


@program("s", "n")
def chebyshev(x, n):
    if n == 0:
        return 1.0
    if n == 1:
        return x
    return 2 * x * chebyshev(x, n - 1) - chebyshev(x, n - 2)


@program("s", "n")
def continued_fraction(x, n):
    return x if n == 0 else x + 1 / continued_fraction(np.sin(x) + 2, n - 1)


@program("v")
def sum_of_halves(x):
    if len(x) == 1:
        return x[0] ** 3
    middle = len(x) // 2
    return sum_of_halves(x[:middle]) + np.sin(sum_of_halves(x[middle:]))


@program("v")
def horner_from_the_front(x):
    if len(x) == 1:
        return x[0]
    return x[0] + 0.5 * horner_from_the_front(x[1:]) ** 2


@program("v", "n")
def smoothed(x, n):
    if n == 0:
        return np.sum(x**2)
    inner = (x[1:] + x[:-1]) / 2
    return smoothed(inner, n - 1) if len(inner) > 1 else x[0] * x[1]


@program("s", "n")
def even_steps(x, n):
    return x if n <= 0 else np.cos(odd_steps(x * 1.5, n - 1))


def odd_steps(x, n):
    return x * x if n <= 0 else np.sin(even_steps(x + 0.5, n - 1))


@program("m")
def determinant_by_minors(a):
    if a.shape[1] < 2 or a.shape[0] < 2:
        return a[0, 0]
    total = 0.0
    for j in range(a.shape[0]):
        rows = np.delete(np.arange(a.shape[0]), j)
        total += (-1) ** j * a[j, 0] * determinant_by_minors(a[rows, 1:])
    return total


@program("d", "n")
def layers_by_recursion(p, n):
    return _layer(np.array([0.3, -0.2, 0.5]), p, n)


def _layer(h, p, n):
    if n == 0:
        return np.sum(h**2)
    z = np.tanh(p["w"] @ h + p["b"])
    return _layer(np.array([z[0], z[1], z[0] * z[1]]), p, n - 1)


def _product_of_all(*values):
    if len(values) > 1:
        return _product_of_all(values)
    return np.prod(values[0])


@program("v")
def values_handed_on_as_one_tuple(x):
    """How many values there are says which way the function goes, each time it calls itself."""
    return _product_of_all(x[0], x[1]) * x[2]
