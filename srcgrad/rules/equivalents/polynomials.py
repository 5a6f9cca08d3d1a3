"""Writes out functions of polynomials: quotients, and those of the modules of `np.polynomial`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.polynomial import chebyshev, hermite, hermite_e, laguerre, legendre, polynomial

from srcgrad.rules.equivalents.registry import EquivalentTable, written_out

table = EquivalentTable()

Map = Callable[..., Any]


@table.of(np.polydiv)
def polydiv(u: Any, v: Any) -> tuple[Any, Any]:
    """Divide polynomials, the highest coefficients first; return quotient and rest."""
    u, v = np.atleast_1d(u) + 0.0, np.atleast_1d(v) + 0.0
    steps = len(u) - len(v) + 1
    quotient = [0 * u[0]]
    if steps > 0:
        quotient = []
        for place in range(steps):
            factor = u[place] / v[0]
            quotient.append(factor)
            u = u - np.concatenate((np.zeros(place), factor * v, np.zeros(steps - 1 - place)))
        u = u[steps:] if len(v) > 1 else u[-1:]
    while len(u) > 1 and np.allclose(u[0], 0, rtol=1e-14):
        u = u[1:]
    return np.stack(quotient), u


@written_out
def trimmed(c: Any) -> Any:
    """Return coefficients, the lowest first, without the zeros at their end."""
    places = np.flatnonzero(c)
    return c[: places[-1] + 1] if len(places) else c[:1]


@written_out
def of_coefficients(function: Map, c: Any, m: int = 1, scl: Any = 1, axis: int = 0) -> Any:
    """Apply a linear function of coefficients, by its matrix."""
    lines = np.moveaxis(np.atleast_1d(c), axis, 0)
    matrix = function(np.eye(len(lines)), m) * scl**m
    return np.moveaxis(np.tensordot(matrix, lines, 1), 0, axis)


@written_out
def integral_of_coefficients(
    function: Map, c: Any, m: int = 1, *, scl: Any = 1, axis: int = 0
) -> Any:
    """Integrate a series from 0, by the matrix of that."""
    lines = np.moveaxis(np.atleast_1d(c), axis, 0)
    matrix = function(np.eye(len(lines)), m) * scl**m
    return np.moveaxis(np.tensordot(matrix, lines, 1), 0, axis)


@written_out
def of_series(function: Map, c: Any) -> Any:
    """Apply a linear function of one series, by its matrix."""
    c = np.atleast_1d(c)
    rows = [np.atleast_1d(function(row)) for row in np.eye(len(c))]
    size = max(len(row) for row in rows)
    matrix = np.stack([np.pad(row, (0, size - len(row))) for row in rows])
    return trimmed(c @ matrix)


@table.of(polynomial.polyadd)
@table.of(chebyshev.chebadd)
@table.of(legendre.legadd)
@table.of(laguerre.lagadd)
@table.of(hermite.hermadd)
@table.of(hermite_e.hermeadd)
def series_sum(c1: Any, c2: Any) -> Any:
    """Add series of coefficients, the lowest first."""
    c1, c2 = np.atleast_1d(c1), np.atleast_1d(c2)
    size = max(len(c1), len(c2))
    return trimmed(np.pad(c1, (0, size - len(c1))) + np.pad(c2, (0, size - len(c2))))


@table.of(polynomial.polysub)
@table.of(chebyshev.chebsub)
@table.of(legendre.legsub)
@table.of(laguerre.lagsub)
@table.of(hermite.hermsub)
@table.of(hermite_e.hermesub)
def series_difference(c1: Any, c2: Any) -> Any:
    """Subtract series of coefficients, the lowest first."""
    c1, c2 = np.atleast_1d(c1), np.atleast_1d(c2)
    size = max(len(c1), len(c2))
    return trimmed(np.pad(c1, (0, size - len(c1))) - np.pad(c2, (0, size - len(c2))))


@table.of(polynomial.polymul)
def polymul(c1: Any, c2: Any) -> Any:
    """Multiply polynomials, the lowest coefficients first."""
    return trimmed(np.convolve(np.atleast_1d(c1), np.atleast_1d(c2)))


@table.of(chebyshev.chebmul, chebyshev.chebmul)
@table.of(legendre.legmul, legendre.legmul)
@table.of(laguerre.lagmul, laguerre.lagmul)
@table.of(hermite.hermmul, hermite.hermmul)
@table.of(hermite_e.hermemul, hermite_e.hermemul)
def series_product(function: Map, c1: Any, c2: Any) -> Any:
    """Multiply series, by the products of their base functions."""
    c1, c2 = np.atleast_1d(c1), np.atleast_1d(c2)
    size = len(c1) + len(c2) - 1
    first, second = np.eye(len(c1)), np.eye(len(c2))
    products = [[function(a, b) for b in second] for a in first]
    padded = [[np.pad(c, (0, size - len(c))) for c in row] for row in products]
    return trimmed(np.einsum("i,j,ijk->k", c1, c2, np.array(padded)))


@table.of(polynomial.polyroots)
def polyroots(c: Any) -> Any:
    """Return the roots of a polynomial, the lowest coefficient first, in rising order."""
    return np.sort(np.roots(np.flip(c)))


@table.of(polynomial.polyval2d, polynomial.polyval)
@table.of(chebyshev.chebval2d, chebyshev.chebval)
@table.of(legendre.legval2d, legendre.legval)
@table.of(laguerre.lagval2d, laguerre.lagval)
@table.of(hermite.hermval2d, hermite.hermval)
@table.of(hermite_e.hermeval2d, hermite_e.hermeval)
def series_in_two(function: Map, x: Any, y: Any, c: Any) -> Any:
    """Evaluate a series in two variables."""
    return function(y, function(x, c), tensor=False)


@table.of(polynomial.polygrid2d, polynomial.polyval)
@table.of(chebyshev.chebgrid2d, chebyshev.chebval)
@table.of(legendre.leggrid2d, legendre.legval)
@table.of(laguerre.laggrid2d, laguerre.lagval)
@table.of(hermite.hermgrid2d, hermite.hermval)
@table.of(hermite_e.hermegrid2d, hermite_e.hermeval)
def series_on_a_grid(function: Map, x: Any, y: Any, c: Any) -> Any:
    """Evaluate a series in two variables at all pairs of their values."""
    return function(y, function(x, c))


@table.of(polynomial.polypow, polynomial.polymul)
@table.of(chebyshev.chebpow, chebyshev.chebmul)
@table.of(legendre.legpow, legendre.legmul)
@table.of(laguerre.lagpow, laguerre.lagmul)
@table.of(hermite.hermpow, hermite.hermmul)
@table.of(hermite_e.hermepow, hermite_e.hermemul)
def series_power(function: Map, c: Any, pow: int, maxpower: Any = 16) -> Any:
    """Raise a series to a whole power, by products."""
    if pow != int(pow) or pow < 0 or (maxpower is not None and pow > maxpower):
        raise ValueError("Power must be a non-negative integer up to the largest power")
    c = np.atleast_1d(c)
    product = c if pow > 0 else np.ones(1)
    for _ in range(1, int(pow)):
        product = function(product, c)
    return trimmed(product)


@table.of(polynomial.polyfromroots, polynomial.polymul, polynomial.polyline)
@table.of(chebyshev.chebfromroots, chebyshev.chebmul, chebyshev.chebline)
@table.of(legendre.legfromroots, legendre.legmul, legendre.legline)
@table.of(laguerre.lagfromroots, laguerre.lagmul, laguerre.lagline)
@table.of(hermite.hermfromroots, hermite.hermmul, hermite.hermline)
@table.of(hermite_e.hermefromroots, hermite_e.hermemul, hermite_e.hermeline)
def series_from_roots(function: Map, line: Map, roots: Any) -> Any:
    """Return the series whose roots are given, by products of lines."""
    product = np.ones(1)
    for root in np.sort(np.atleast_1d(roots)):
        product = function(product, line(-root, 1))
    return product


@table.of(polynomial.polydiv, polynomial.polymul)
@table.of(chebyshev.chebdiv, chebyshev.chebmul)
@table.of(legendre.legdiv, legendre.legmul)
@table.of(laguerre.lagdiv, laguerre.lagmul)
@table.of(hermite.hermdiv, hermite.hermmul)
@table.of(hermite_e.hermediv, hermite_e.hermemul)
def series_quotient(function: Map, c1: Any, c2: Any) -> tuple[Any, Any]:
    """Divide series; return the quotient and the rest."""
    rest, divisor = trimmed(np.atleast_1d(c1)), trimmed(np.atleast_1d(c2))
    if divisor[-1] == 0:
        raise ZeroDivisionError("a series divided by zero")
    if len(rest) < len(divisor):
        return rest[:1] * 0, rest
    factors = []
    for place in range(len(rest) - len(divisor), -1, -1):
        part = function(np.eye(place + 1)[place], divisor)
        factor = rest[-1] / part[-1]
        factors.append(factor)
        rest = rest[:-1] - factor * part[:-1]
    quotient = np.flip(np.stack(factors))
    if len(rest) == 0:
        return quotient, divisor[:1] * 0
    return quotient, trimmed(rest)


@table.of(polynomial.polyfit, polynomial.polyvander)
@table.of(chebyshev.chebfit, chebyshev.chebvander)
@table.of(legendre.legfit, legendre.legvander)
@table.of(laguerre.lagfit, laguerre.lagvander)
@table.of(hermite.hermfit, hermite.hermvander)
@table.of(hermite_e.hermefit, hermite_e.hermevander)
def fitted_series(function: Map, x: Any, y: Any, deg: int, *, w: Any = None) -> Any:
    """Fit a series of a degree to points, which must be enough for it."""
    matrix = function(x, deg)
    if w is not None:
        matrix = np.reshape(w, (-1, 1)) * matrix
        y = np.transpose(w * np.transpose(y))
    return np.linalg.pinv(matrix) @ y


_LINEAR: tuple[Map, ...] = (
    *(polynomial.polyder, chebyshev.chebder, legendre.legder, laguerre.lagder),
    *(hermite.hermder, hermite_e.hermeder),
)
_INTEGRALS: tuple[Map, ...] = (
    *(polynomial.polyint, chebyshev.chebint, legendre.legint, laguerre.lagint),
    *(hermite.hermint, hermite_e.hermeint),
)
_CHANGES: tuple[Map, ...] = (
    *(polynomial.polymulx, chebyshev.chebmulx, legendre.legmulx, laguerre.lagmulx),
    *(hermite.hermmulx, hermite_e.hermemulx, chebyshev.cheb2poly, chebyshev.poly2cheb),
    *(legendre.leg2poly, legendre.poly2leg, laguerre.lag2poly, laguerre.poly2lag),
    *(hermite.herm2poly, hermite.poly2herm, hermite_e.herme2poly, hermite_e.poly2herme),
)
for _function in _LINEAR:
    table.of(_function, _function)(of_coefficients)
for _function in _INTEGRALS:
    table.of(_function, _function)(integral_of_coefficients)
for _function in _CHANGES:
    table.of(_function, _function)(of_series)


EQUIVALENTS = table.freeze()
