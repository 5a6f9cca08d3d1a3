"""Calculates second derivatives of incomplete integrals in their parameters, by quadrature.

If ``f`` is a density, its second derivative in parameters is ``f`` times the product of how its
logarithm changes with each, plus how that changes again. The first factors and the integrals over
everything are those of `srcgrad.runtime.scipy.parameters`: so are the variables and the sides from
which they are summed (Moore 1982, AS 187, and Boik and Robison-Cox 1998 take series of the
same terms). Where a parameter is small, its digamma function is written by that of one more
(DLMF 5.5.2), since ``digamma(a)**2 - trigamma(a)`` would cancel.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from srcgrad.runtime.dispatch import recordable
from srcgrad.runtime.scipy.parameters import (
    TERMS,
    above_beta,
    above_gamma,
    below_beta,
    below_gamma,
    beta_center,
    beta_ways,
    elementwise,
    gamma_ways,
    summed,
)


@recordable
def gammainc_curve(a: Any, x: Any) -> Any:
    """Return the second derivative of ``special.gammainc(a, x)`` in a (DLMF 8.2.4, 8.7.1)."""
    return elementwise(_gammainc_curve, a, x)


def _gammainc_curve(a: Any, x: Any) -> Any:
    with np.errstate(all="ignore"):
        ways = gamma_ways(a, x, _gamma_series, _gamma_below, _gamma_above)
        total = summed(ways, a, x)
        ends = (a > 0) & ((x == 0) | np.isposinf(x))
        return np.where(ends, 0.0, total)[:, 0]


def _gamma_series(a: Any, x: Any) -> Any:
    """Return the terms of the second derivative of a series in x, for x up to 1."""
    turn = np.log(x) - special.digamma(a + TERMS + 1)
    size = (a + TERMS) * np.log(x) - x - special.gammaln(a + TERMS + 1)
    return (turn * turn - special.zeta(2, a + TERMS + 1)) * np.exp(size)


def _gamma_below(a: Any, x: Any) -> Any:
    log_t, share = below_gamma(a, x)
    return _gamma_bend(a, log_t) * share


def _gamma_above(a: Any, x: Any) -> Any:
    log_t, share = above_gamma(a, x)
    return -_gamma_bend(a, log_t) * share


def _gamma_bend(a: Any, log_t: Any) -> Any:
    """Return ``(log(t) - digamma(a))**2 - trigamma(a)``."""
    turn = log_t - special.digamma(a + 1)
    return turn * turn + 2 * turn / a - special.zeta(2, a + 1)


@recordable
def betainc_curve(a: Any, b: Any, x: Any) -> Any:
    """Return the second derivative of ``special.betainc(a, b, x)`` in a (DLMF 8.17.1, 8.17.7).

    That in b is the one in a of the other tail, ``-betainc_curve(b, a, 1 - x)``.
    """
    return elementwise(_betainc_curve, a, b, x)


def _betainc_curve(a: Any, b: Any, x: Any) -> Any:
    return _beta_total(a, b, x, _curve_series, _curve_below, _curve_above)


@recordable
def betainc_twist(a: Any, b: Any, x: Any) -> Any:
    """Return the derivative of ``special.betainc(a, b, x)`` in a and in b."""
    return elementwise(_betainc_twist, a, b, x)


def _betainc_twist(a: Any, b: Any, x: Any) -> Any:
    return _beta_total(a, b, x, _twist_series, _twist_below, _twist_above)


def _beta_total(a: Any, b: Any, x: Any, *formulas: Any) -> Any:
    with np.errstate(all="ignore"):
        total = summed(beta_ways(a, b, x, *formulas), a, b, x)
        ends = (a > 0) & (b > 0) & ((x == 0) | (x == 1))
        return np.where(ends, 0.0, total)[:, 0]


def _curve_series(a: Any, b: Any, x: Any) -> Any:
    """Return the terms of the second derivative of a series in x, for small x."""
    whole, _ = _series_factors(a, b, x)
    turn = np.log(x) - special.digamma(a + 1) + special.digamma(a + b)
    bend = turn * turn - special.zeta(2, a + 1) + special.zeta(2, a + b)
    below = a + TERMS
    return whole * (bend * a / below + 2 * turn * TERMS / below**2 - 2 * TERMS / below**3)


def _twist_series(a: Any, b: Any, x: Any) -> Any:
    """Return the terms of the mixed derivative of the same series."""
    whole, by_b = _series_factors(a, b, x)
    turn = np.log(x) - special.digamma(a + 1) + special.digamma(a + b)
    share, slope = a / (a + TERMS), TERMS / (a + TERMS) ** 2
    moved = by_b - whole * beta_center(b, a)
    return (turn * share + slope) * moved + special.zeta(2, a + b) * share * whole


def _series_factors(a: Any, b: Any, x: Any) -> tuple[Any, Any]:
    """Return ``x**(a + n) / (a * B(a, b))`` times the product of ``1 - b / k`` up to n.

    The second result has the derivative of that product in b in the place of it.
    """
    products, slopes = [np.ones_like(x)], [np.zeros_like(x)]
    for n in TERMS[1:]:
        slopes.append((slopes[-1] * (n - b) - products[-1]) * x / n)
        products.append(products[-1] * (n - b) * x / n)
    size = np.exp(a * np.log(x) - np.log(a) - special.betaln(a, b))
    return np.concatenate(products, axis=1) * size, np.concatenate(slopes, axis=1) * size


def _curve_below(a: Any, b: Any, x: Any) -> Any:
    log_t, _, share = below_beta(a, b, x)
    return _curve_bend(a, b, log_t) * share


def _curve_above(a: Any, b: Any, x: Any) -> Any:
    log_t, _, share = above_beta(a, b, x)
    return -_curve_bend(a, b, log_t) * share


def _curve_bend(a: Any, b: Any, log_t: Any) -> Any:
    """Return how the density bends with a: the square of its turn, and the turn's derivative."""
    turn = log_t - beta_center(a, b)
    spread = special.zeta(2, a) - special.zeta(2, a + b)
    spread = np.where(b < 1e-5 * a, 2 * b * special.zeta(3, a + b / 2), spread)
    low = log_t - special.digamma(a + 1) + special.digamma(a + b)
    small = low * low + 2 * low / a - special.zeta(2, a + 1) + special.zeta(2, a + b)
    return np.where(a < np.minimum(b, 1), small, turn * turn - spread)


def _twist_below(a: Any, b: Any, x: Any) -> Any:
    log_t, log_rest, share = below_beta(a, b, x)
    return _twist_bend(a, b, log_t, log_rest) * share


def _twist_above(a: Any, b: Any, x: Any) -> Any:
    log_t, log_rest, share = above_beta(a, b, x)
    return -_twist_bend(a, b, log_t, log_rest) * share


def _twist_bend(a: Any, b: Any, log_t: Any, log_rest: Any) -> Any:
    return (log_t - beta_center(a, b)) * (log_rest - beta_center(b, a)) + special.zeta(2, a + b)
