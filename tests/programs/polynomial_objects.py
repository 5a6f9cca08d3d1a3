"""Polynomials that are objects, made of coefficients that vary or of others."""

from __future__ import annotations

import numpy as np

from tests.programs.corpus import program

KNOWN = np.poly1d([2.0, 1.0, -0.5])


@program("v")
def derivatives_and_integrals(x):
    p, q = np.poly1d(x), np.polynomial.Polynomial(x)
    return p.deriv()(0.7) * p.integ(k=1.0)(0.3) + q.deriv(2)(0.4) * q.integ()(0.5)


@program("v")
def sums_and_products(x):
    p, q = np.poly1d(x), np.poly1d([1.0, x[0]])
    series = np.polynomial.Polynomial
    s, t = series(x), series([x[0], 1.0])
    first = (p * q + 2.0 * p - q)(0.4) + p.c[1] * p.order
    return first * ((s + t) * t - 3.0 * s / 2.0)(0.3) + s.coef[2] ** 2 * s.degree()


@program("v")
def coefficients_that_are_held(x):
    held = x * 1.0
    p = np.poly1d(held)
    held[0] = 2.0
    return p(x[1]) * held[1]


@program("s", "s")
def polynomials_of_constants(x, y):
    p = np.poly1d([1.0, -2.0, 0.5])
    return p(x) * KNOWN(y) + np.polyval(KNOWN, x * y)
