"""Moments, medians and entropies of laws in ``scipy.stats``; densities of matrices and counts."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special, stats

from srcgrad.rules.equivalents.registry import EquivalentTable, written_out

table = EquivalentTable()
Formula = Callable[..., Any]

# --- laws that are moved and stretched: each formula is that of the law as it is ------------------


@written_out
def positive(parameter: Any) -> Any:
    """Return a parameter where there is a law with it, and NaN elsewhere, as SciPy does."""
    return np.where(parameter > 0, parameter, np.nan)[()]


@written_out
def mean_of(mean: Formula, loc: Any = 0, scale: Any = 1) -> Any:
    """Return the mean of a law without a shape."""
    return loc + positive(scale) * mean()


@written_out
def variance_of(variance: Formula, loc: Any = 0, scale: Any = 1) -> Any:
    """Return the variance of a law without a shape."""
    return 0 * loc + positive(scale) ** 2 * variance()


@written_out
def deviation_of(variance: Formula, loc: Any = 0, scale: Any = 1) -> Any:
    """Return the deviation of a law without a shape."""
    return 0 * loc + positive(scale) * np.sqrt(variance())


@written_out
def mean_of_shape(mean: Formula, a: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """Return the mean of a law with a shape."""
    return loc + positive(scale) * mean(positive(a))


@written_out
def variance_of_shape(variance: Formula, a: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """Return the variance of a law with a shape."""
    return 0 * loc + positive(scale) ** 2 * variance(positive(a))


@written_out
def deviation_of_shape(variance: Formula, a: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """Return the deviation of a law with a shape."""
    return 0 * loc + positive(scale) * np.sqrt(variance(positive(a)))


@written_out
def mean_of_shapes(mean: Formula, a: Any, b: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """Return the mean of a law with two shapes."""
    return loc + positive(scale) * mean(positive(a), positive(b))


@written_out
def variance_of_shapes(variance: Formula, a: Any, b: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """Return the variance of a law with two shapes."""
    return 0 * loc + positive(scale) ** 2 * variance(positive(a), positive(b))


@written_out
def deviation_of_shapes(variance: Formula, a: Any, b: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """Return the deviation of a law with two shapes."""
    return 0 * loc + positive(scale) * np.sqrt(variance(positive(a), positive(b)))


_FORMS = (
    (mean_of, variance_of, deviation_of),
    (mean_of_shape, variance_of_shape, deviation_of_shape),
    (mean_of_shapes, variance_of_shapes, deviation_of_shapes),
)


def moments(law: Any, mean: Formula, variance: Formula) -> None:
    """Register the mean and the variance of a law as it is."""
    of_mean, of_variance, of_deviation = _FORMS[law.numargs]
    table.of(law.mean, written_out(mean))(of_mean)
    table.of(law.var, written_out(variance))(of_variance)
    table.of(law.std, variance)(of_deviation)


def zero() -> Any:
    """Return zero."""
    return 0.0


def one() -> Any:
    """Return one."""
    return 1.0


def half() -> Any:
    """Return a half."""
    return 0.5


def twelfth() -> Any:
    """Return a twelfth."""
    return 1 / 12


def two() -> Any:
    """Return two."""
    return 2.0


def logistic_variance() -> Any:
    """Return the variance."""
    return math.pi**2 / 3


def shape(a: Any) -> Any:
    """Return the shape."""
    return a


def twice(df: Any) -> Any:
    """Return twice the shape."""
    return 2 * df


def lognorm_mean(s: Any) -> Any:
    """Return the mean."""
    return np.exp(s * s / 2)


def lognorm_variance(s: Any) -> Any:
    """Return the variance."""
    return np.expm1(s * s) * np.exp(s * s)


def weibull_mean(c: Any) -> Any:
    """Return the mean."""
    return special.gamma(1 + 1 / c)


def weibull_variance(c: Any) -> Any:
    """Return the variance."""
    return special.gamma(1 + 2 / c) - special.gamma(1 + 1 / c) ** 2


def beta_mean(a: Any, b: Any) -> Any:
    """Return the mean."""
    return a / (a + b)


def beta_variance(a: Any, b: Any) -> Any:
    """Return the variance."""
    return a * b / ((a + b) ** 2 * (a + b + 1))


moments(stats.norm, zero, one)
moments(stats.expon, one, one)
moments(stats.uniform, half, twelfth)
moments(stats.laplace, zero, two)
moments(stats.logistic, zero, logistic_variance)
moments(stats.gamma, shape, shape)
moments(stats.chi2, shape, twice)
moments(stats.lognorm, lognorm_mean, lognorm_variance)
moments(stats.weibull_min, weibull_mean, weibull_variance)
moments(stats.beta, beta_mean, beta_variance)


@table.of(stats.norm.entropy)
def norm_entropy(loc: Any = 0, scale: Any = 1) -> Any:
    """Return the entropy."""
    return 0 * loc + np.log(positive(scale)) + 0.5 * math.log(2 * math.pi * math.e)


@table.of(stats.expon.entropy)
def expon_entropy(loc: Any = 0, scale: Any = 1) -> Any:
    """Return the entropy."""
    return 0 * loc + np.log(positive(scale)) + 1


@table.of(stats.uniform.entropy)
def uniform_entropy(loc: Any = 0, scale: Any = 1) -> Any:
    """Return the entropy."""
    return 0 * loc + np.log(positive(scale))


@table.of(stats.gamma.entropy)
def gamma_entropy(a: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """Return the entropy."""
    a = positive(a)
    inside = a + special.gammaln(a) + (1 - a) * special.digamma(a)
    return 0 * loc + inside + np.log(positive(scale))


@table.of(stats.beta.entropy)
def beta_entropy(a: Any, b: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """Return the entropy."""
    a, b = positive(a), positive(b)
    both = (a + b - 2) * special.digamma(a + b)
    each = (a - 1) * special.digamma(a) + (b - 1) * special.digamma(b)
    return 0 * loc + special.betaln(a, b) - each + both + np.log(positive(scale))


# --- medians and intervals, of laws with quantiles ------------------------------------------------


@written_out
def median_of(quantile: Formula, *args: Any, **parameters: Any) -> Any:
    """Return the quantile at a half."""
    return quantile(0.5, *args, **parameters)


@written_out
def interval_of(quantile: Formula, confidence: Any, *args: Any, **parameters: Any) -> Any:
    """Return the quantiles between which a share of the law lies."""
    low = quantile((1 - confidence) / 2, *args, **parameters)
    return low, quantile((1 + confidence) / 2, *args, **parameters)


for _law in (stats.norm, stats.expon, stats.gamma, stats.lognorm, stats.beta, stats.t):
    table.of(_law.median, _law.ppf)(median_of)
    table.of(_law.interval, _law.ppf)(interval_of)


@table.of(stats.norm.fit)
def norm_fit(data: Any) -> Any:
    """Return the mean and the deviation."""
    return np.mean(data), np.std(data)


# --- counts ---------------------------------------------------------------------------------------


@table.of(stats.poisson.mean)
@table.of(stats.poisson.var)
def poisson_mean(mu: Any) -> Any:
    """Return the mean, which is the variance."""
    return np.where(mu >= 0, mu, np.nan)[()]


@table.of(stats.binom.mean)
def binom_mean(n: Any, p: Any) -> Any:
    """Return the mean."""
    return n * np.where(np.logical_and(p >= 0, p <= 1), p, np.nan)[()]


@table.of(stats.binom.var)
def binom_variance(n: Any, p: Any) -> Any:
    """Return the variance."""
    p = np.where(np.logical_and(p >= 0, p <= 1), p, np.nan)[()]
    return n * p * (1 - p)


@table.of(stats.multinomial.logpmf)
def multinomial_logpmf(x: Any, n: Any, p: Any) -> Any:
    """Return the logarithm of the chance of counts; the last share is what is left."""
    counts, shares = np.stack(x), np.stack(p)
    last = 1 - np.sum(shares[..., :-1], axis=-1, keepdims=True)
    logs = special.xlogy(counts, np.concatenate([shares[..., :-1], last], axis=-1))
    return special.gammaln(n + 1) + np.sum(logs - special.gammaln(counts + 1), axis=-1)


@table.of(stats.multinomial.pmf)
def multinomial_pmf(x: Any, n: Any, p: Any) -> Any:
    """Return the chance of counts."""
    return np.exp(multinomial_logpmf(x, n, p))


# --- several variables ----------------------------------------------------------------------------


@table.of(stats.dirichlet.pdf)
def dirichlet_pdf(x: Any, alpha: Any) -> Any:
    """Return the density."""
    return np.exp(stats.dirichlet.logpdf(x, alpha))


@table.of(stats.dirichlet.mean)
def dirichlet_mean(alpha: Any) -> Any:
    """Return the mean."""
    return alpha / np.sum(alpha)


@table.of(stats.multivariate_normal.entropy)
def multivariate_normal_entropy(mean: Any, cov: Any) -> Any:
    """Return the entropy."""
    return 0.5 * np.linalg.slogdet(2 * math.pi * math.e * cov)[1]


@table.of(stats.multivariate_t.logpdf)
def multivariate_t_logpdf(x: Any, loc: Any, shape: Any, df: Any) -> Any:
    """Return the logarithm of the density."""
    size = np.shape(shape)[-1]
    off = x - loc
    far = np.sum(off * np.linalg.solve(shape, off.T).T, axis=-1)
    norm = special.gammaln((df + size) / 2) - special.gammaln(df / 2)
    norm = norm - size / 2 * np.log(df * math.pi) - np.linalg.slogdet(shape)[1] / 2
    return norm - (df + size) / 2 * np.log1p(far / df)


@table.of(stats.multivariate_t.pdf)
def multivariate_t_pdf(x: Any, loc: Any, shape: Any, df: Any) -> Any:
    """Return the density."""
    return np.exp(multivariate_t_logpdf(x, loc, shape, df))


@table.of(stats.wishart.logpdf)
def wishart_logpdf(x: Any, df: Any, scale: Any) -> Any:
    """Return the logarithm of the density of one matrix."""
    size = len(scale)
    spread = size * math.log(2) / 2 * df + df / 2 * np.linalg.slogdet(scale)[1]
    norm = spread + special.multigammaln(df / 2, size)
    inside = (df - size - 1) / 2 * np.linalg.slogdet(x)[1]
    return inside - np.trace(np.linalg.solve(scale, x)) / 2 - norm


@table.of(stats.invwishart.logpdf)
def invwishart_logpdf(x: Any, df: Any, scale: Any) -> Any:
    """Return the logarithm of the density of one matrix."""
    size = len(scale)
    spread = size * math.log(2) / 2 * df - df / 2 * np.linalg.slogdet(scale)[1]
    norm = spread + special.multigammaln(df / 2, size)
    inside = -(df + size + 1) / 2 * np.linalg.slogdet(x)[1]
    return inside - np.trace(np.linalg.solve(x, scale)) / 2 - norm


EQUIVALENTS = table.freeze()
