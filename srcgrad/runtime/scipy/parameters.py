"""Calculates derivatives of incomplete integrals in a parameter of the integrand, by quadrature.

They are integrals of the density times how the logarithm of the density changes with the parameter.
That changes its sign once, at the place where its mean lies, and the integral over everything is 0;
so the integral is taken on that side of `x` where nothing cancels. The variables are such that the
integrand falls off double exponentially at both ends, where the sum over equal steps is precise.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from scipy import special

from srcgrad.runtime.dispatch import recordable

_STEP = 1 / 14
_WAY = np.arange(-126, 57) * _STEP
_LOG_W = special.log_expit(np.pi * np.sinh(_WAY))
_LOG_REST = special.log_expit(-np.pi * np.sinh(_WAY))
_LOG_DW = _LOG_W + _LOG_REST + np.log(np.pi * np.cosh(_WAY) * _STEP)
"""A variable from 0 to 1 at the nodes, what is left of it up to 1, and its steps."""

_FAR = np.arange(-80, 51) / 20
_LOG_Y = np.pi / 2 * np.sinh(_FAR)
_LOG_DY = _LOG_Y + np.log(np.pi / 2 * np.cosh(_FAR) / 20)
"""A variable from 0 to infinity at the nodes, and its steps."""

TERMS = np.arange(25.0)
_BLOCK = 2048

Formula: TypeAlias = Callable[..., Any]
Ways: TypeAlias = dict[Formula, Any]


def elementwise(formula: Formula, *args: Any) -> Any:
    """Apply a formula of columns, whose rows are nodes, to numbers that broadcast."""
    spread = np.broadcast_arrays(*args)
    kinds = [item.dtype for item in args if isinstance(item, (np.ndarray, np.generic))]
    kind = np.result_type(*kinds, np.float32) if kinds else np.float64
    flat = [np.ravel(item).astype(np.result_type(item, float))[:, None] for item in spread]
    parts = [
        formula(*(item[start : start + _BLOCK] for item in flat))
        for start in range(0, len(flat[0]), _BLOCK)
    ]
    whole = np.concatenate(parts) if parts else np.zeros(0)
    kind = np.result_type(kind, np.complex64) if np.iscomplexobj(whole) else kind
    out = np.reshape(whole, np.shape(spread[0])).astype(kind)
    return out if np.ndim(out) else out[()]


@recordable
def gammainc_slope(a: Any, x: Any) -> Any:
    """Return the derivative of ``special.gammainc(a, x)`` in a."""
    return elementwise(_gammainc_slope, a, x)


def _gammainc_slope(a: Any, x: Any) -> Any:
    with np.errstate(all="ignore"):
        total = summed(gamma_ways(a, x, _gamma_series, _gamma_below, _gamma_above), a, x)
        ends = (a > 0) & ((x == 0) | np.isposinf(x))
        return np.where(ends, 0.0, total)[:, 0]


def gamma_ways(a: Any, x: Any, series: Formula, below: Formula, above: Formula) -> Ways:
    """Return for which rows each of three formulas holds."""
    inside = (a > 0) & (x > 0) & np.isfinite(x)
    left = np.log(x) < special.digamma(a)
    return {
        series: inside & (x < 1),
        below: inside & (x >= 1) & left,
        above: inside & (x >= 1) & ~left,
    }


def summed(ways: Ways, *columns: Any) -> Any:
    """Return the sums of the terms of those formulas that hold for each row, NaN for the others."""
    total = np.full_like(columns[0], np.nan)
    for formula, there in ways.items():
        rows = there[:, 0]
        if np.any(rows):
            terms = formula(*(column[rows] for column in columns))
            total[rows] = np.sum(terms, axis=1, keepdims=True)
    return total


def _gamma_series(a: Any, x: Any) -> Any:
    """Return the terms of the derivative of a series in x, for x up to 1."""
    size = (a + TERMS) * np.log(x) - x - special.gammaln(a + TERMS + 1)
    return (np.log(x) - special.digamma(a + TERMS + 1)) * np.exp(size)


def _gamma_below(a: Any, x: Any) -> Any:
    log_t, share = below_gamma(a, x)
    return (log_t - special.digamma(a)) * share


def _gamma_above(a: Any, x: Any) -> Any:
    log_t, share = above_gamma(a, x)
    return (special.digamma(a) - log_t) * share


def below_gamma(a: Any, x: Any) -> tuple[Any, Any]:
    """Return nodes up to x, in the variable ``(t / x)**a``: log(t), and what the density weighs."""
    log_t = np.log(x) + _LOG_W / a
    size = _LOG_DW - np.exp(log_t) + a * np.log(x) - special.gammaln(a + 1)
    return log_t, np.exp(size)


def above_gamma(a: Any, x: Any) -> tuple[Any, Any]:
    """Return nodes from x on, in the distance from x: log(t), and what the density weighs."""
    scale = 1 / (np.maximum(1 - a / x, 0) + 1 / np.sqrt(x + a + 1))
    far = scale * np.exp(_LOG_Y)
    t = x + far
    size = _LOG_DY + np.log(scale) + (a - 1) * np.log(t) - t - special.gammaln(a)
    return np.log(t), np.exp(size)


@recordable
def betainc_slope(a: Any, b: Any, x: Any) -> Any:
    """Return the derivative of ``special.betainc(a, b, x)`` in a.

    That in b is the one in a of the other tail, ``-betainc_slope(b, a, 1 - x)``.
    """
    return elementwise(_betainc_slope, a, b, x)


def _betainc_slope(a: Any, b: Any, x: Any) -> Any:
    with np.errstate(all="ignore"):
        total = summed(beta_ways(a, b, x, _beta_series, _beta_below, _beta_above), a, b, x)
        ends = (a > 0) & (b > 0) & ((x == 0) | (x == 1))
        return np.where(ends, 0.0, total)[:, 0]


def beta_ways(a: Any, b: Any, x: Any, series: Formula, below: Formula, above: Formula) -> Ways:
    """Return for which rows each of three formulas holds."""
    inside = (a > 0) & (b > 0) & (x > 0) & (x < 1)
    close = (x < 0.05) & (b * x < 0.5)
    left = np.log(x) < beta_center(a, b)
    return {
        series: inside & close,
        below: inside & ~close & left,
        above: inside & ~close & ~left,
    }


def beta_center(a: Any, b: Any) -> Any:
    """Return the mean of the logarithm of a beta variable."""
    straight = special.digamma(a) - special.digamma(a + b)
    return np.where(b < 1e-5 * a, -b * special.zeta(2, a + b / 2), straight)


def _beta_series(a: Any, b: Any, x: Any) -> Any:
    """Return the terms of the derivative of a series in x, for small x."""
    factors = np.where(TERMS > 0, (TERMS - b) / np.maximum(TERMS, 1) * x, 1.0)
    size = np.exp(a * np.log(x) - np.log(a) - special.betaln(a, b))
    turn, below = np.log(x) - special.digamma(a + 1) + special.digamma(a + b), a + TERMS
    return np.cumprod(factors, axis=1) * size * (turn * a / below + TERMS / below**2)


def _beta_below(a: Any, b: Any, x: Any) -> Any:
    log_t, _, share = below_beta(a, b, x)
    return (log_t - beta_center(a, b)) * share


def _beta_above(a: Any, b: Any, x: Any) -> Any:
    log_t, _, share = above_beta(a, b, x)
    return (beta_center(a, b) - log_t) * share


def below_beta(a: Any, b: Any, x: Any) -> tuple[Any, Any, Any]:
    """Return nodes up to x, in the variable ``(t / x)**a``.

    These are log(t), log(1 - t) and what the density weighs.
    """
    log_t = np.log(x) + _LOG_W / a
    rest = (1 - x) - x * np.expm1(_LOG_W / a)
    size = _LOG_DW + (b - 1) * np.log(rest) + a * np.log(x) - np.log(a) - special.betaln(a, b)
    t = np.exp(log_t)
    return log_t, np.where(t < 0.5, np.log1p(-t), np.log(rest)), np.exp(size)


def above_beta(a: Any, b: Any, x: Any) -> tuple[Any, Any, Any]:
    """Return nodes from x on, in the variable ``((1 - t) / (1 - x))**b``, as `below_beta` does."""
    t = x - (1 - x) * np.expm1(_LOG_W / b)
    log_t = np.where(t < 0.5, np.log(t), np.log1p(-(1 - x) * np.exp(_LOG_W / b)))
    size = _LOG_DW + (a - 1) * log_t + b * np.log1p(-x) - np.log(b) - special.betaln(a, b)
    return log_t, np.log1p(-x) + _LOG_W / b, np.exp(size)


# --- laws made of these ---------------------------------------------------------------------------


def stdtr_slope(df: Any, t: Any) -> Any:
    """Return the derivative of ``special.stdtr(df, t)`` in df."""
    whole = df + t * t
    share = df / whole
    inner = special.xlogy(df / 2 - 1, share) - special.betaln(df / 2, 0.5)
    run = np.exp(inner) * np.abs(t) / whole**1.5  # the density of the share, times its derivative
    return -np.sign(t) * (betainc_slope(df / 2, 0.5, share) / 2 + run) / 2


def f_slope_1(dfn: Any, dfd: Any, x: Any) -> Any:
    """Return the derivative of ``special.fdtr(dfn, dfd, x)`` in dfn."""
    share = dfn * x / (dfn * x + dfd)
    return betainc_slope(dfn / 2, dfd / 2, share) / 2 + _f_density(dfn, dfd, x) * x / dfn


def f_slope_2(dfn: Any, dfd: Any, x: Any) -> Any:
    """Return the derivative of ``special.fdtr(dfn, dfd, x)`` in dfd."""
    rest = dfd / (dfn * x + dfd)
    return -betainc_slope(dfd / 2, dfn / 2, rest) / 2 - _f_density(dfn, dfd, x) * x / dfd


def _f_density(dfn: Any, dfd: Any, x: Any) -> Any:
    share, rest = dfn * x / (dfn * x + dfd), dfd / (dfn * x + dfd)
    inner = special.xlogy(dfn / 2 - 1, share) + special.xlogy(dfd / 2 + 1, rest)
    return dfn / dfd * np.exp(inner - special.betaln(dfn / 2, dfd / 2))
