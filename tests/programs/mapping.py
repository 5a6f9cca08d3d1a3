"""Programs that call functions over elements and rows, and functions written out with others."""

from __future__ import annotations

import cmath
import functools
import operator

import numpy as np

from tests.programs.corpus import program

_soft = np.vectorize(lambda v: v * v if v > 0.5 else 0.25 * np.exp(v))
_formula = np.vectorize(lambda a, b: a * np.sin(b))


@program("v")
def vectorized_with_a_branch(x):
    return np.sum(_soft(x) ** 2)


@program("v")
def vectorized_formula(x):
    return np.sum(_formula(x, x[::-1]) ** 2)


@program("v")
def vectorized_here(x):
    @np.vectorize
    def clipped(v):
        return v if v > 0.3 else 0.3 * v

    return np.sum(clipped(x) * x)


@program("v")
def vectorized_over_pairs(x):
    larger = np.vectorize(lambda a, b: a * a if a > b else b, otypes=[float])
    return np.sum(larger(x[:, None], np.cos(x)))


@program("m")
def function_of_each_row(x):
    return np.sum(np.apply_along_axis(lambda row: row / np.sum(row * row), 1, x) ** 3)


@program("m")
def product_over_two_axes(x):
    return np.apply_over_axes(np.prod, x, [0, 1])[0, 0]


@program("v")
def pieces_of_functions(x):
    y = np.piecewise(x, [x < 0.2, x > 0.6], [np.exp, lambda v: v * v, lambda v: 1.0 - v])
    return np.sum(y**2)


@program("v")
def pieces_with_a_root(x):
    return np.sum(np.piecewise(x, [x > 0], [np.sqrt, 0.0]))


@program("v")
def polynomial_as_an_object(x):
    p = np.poly1d(x)
    return p(0.7) + np.polynomial.Polynomial(x)(1.3) ** 2


@program("v")
def product_of_polynomials(x):
    quotient, rest = np.polydiv(np.polymul(x, x), np.array([1.0, 0.5]))
    return np.sum(quotient**2) + np.sum(rest)


@program("v")
def powers_and_quotients_of_series(x):
    chebyshev, hermite = np.polynomial.chebyshev, np.polynomial.hermite
    power = chebyshev.chebpow(x[:2], 3)
    quotient, rest = hermite.hermdiv(x, x[:2] + 2.0)
    return np.sum(power**2) + np.sum(quotient) * np.sum(rest)


@program("v")
def series_from_their_roots(x):
    by_lines = np.polynomial.legendre.legfromroots(x)
    grid = np.polynomial.polynomial.polygrid2d(x[:2], x[2:], np.outer(x, x))
    return np.sum(by_lines**2) + np.sum(grid)


@program("v")
def series_of_chebyshev(x):
    product = np.polynomial.chebyshev.chebmul(x, x[:2])
    return np.sum(np.polynomial.chebyshev.chebder(product) ** 2)


@program("m")
def surrounded_by_means(x):
    return np.sum(np.pad(x, ((1, 0), (2, 1)), mode="mean") ** 2)


@program("s")
def complex_numbers_of_python(x):
    z = cmath.rect(1.0 + x * x, x)
    return abs(cmath.exp(z) + cmath.sqrt(z)) + cmath.phase(z * z)


@program("s")
def dicts_joined_by_a_function(x):
    parts = functools.reduce(operator.or_, [{"a": x}, {"b": x * x}, {"a": 3.0 * x}])
    return operator.mul(parts["a"], parts["b"]) + operator.add([x], [x * x])[1]


@program("v")
def array_of_a_generator(x):
    return np.sum(np.fromiter((v * v for v in x), float) * x)


@program("v")
def pairs_of_one_length(x):
    total = 0.0
    for a, b in zip(x[:-1], x[1:] * x[1:], strict=True):
        total += a * b
    return total


@program("v")
def logarithms_put_together(x):
    return np.logaddexp.accumulate(x)[-1] + np.sum(np.hypot.outer(x, x * x))
