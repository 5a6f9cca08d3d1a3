"""Tests and correlations in ``scipy.stats``, written out with others."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import special, stats

from srcgrad.rules.equivalents.registry import EquivalentTable, written_out
from srcgrad.runtime import reduced_size

table = EquivalentTable()


class Tested(NamedTuple):
    """What a test returns."""

    statistic: Any
    pvalue: Any


class Line(NamedTuple):
    """What a linear regression returns."""

    slope: Any
    intercept: Any
    rvalue: Any
    pvalue: Any
    stderr: Any


_classes: tuple[Any, ...] = (Tested, Line)
for _class in _classes:
    _class.__srcgrad_written_out__ = True


@written_out
def chance_of(statistic: Any, freedom: Any, alternative: str) -> Any:
    """Return how likely Student's t is as far out."""
    if alternative == "less":
        chance = special.stdtr(freedom, statistic)
    elif alternative == "greater":
        chance = special.stdtr(freedom, -statistic)
    else:
        chance = 2 * special.stdtr(freedom, -np.abs(statistic))
    return chance


@table.of(stats.pearsonr)
def pearsonr(x: Any, y: Any, *, alternative: str = "two-sided", axis: int = 0) -> Any:
    """Return the correlation of two samples and how likely it is by chance."""
    x_off = x - np.mean(x, axis=axis, keepdims=True)
    y_off = y - np.mean(y, axis=axis, keepdims=True)
    squares = np.sum(x_off**2, axis=axis) * np.sum(y_off**2, axis=axis)
    r = np.sum(x_off * y_off, axis=axis) / np.sqrt(squares)
    freedom = np.shape(x)[axis] - 2
    return Tested(r, chance_of(r * np.sqrt(freedom / (1 - r * r)), freedom, alternative))


@table.of(stats.linregress)
def linregress(x: Any, y: Any, alternative: str = "two-sided") -> Any:
    """Return the line that fits best, and how well it does."""
    x_mean, y_mean = np.mean(x, axis=0), np.mean(y, axis=0)
    x_var, y_var = np.mean((x - x_mean) ** 2, axis=0), np.mean((y - y_mean) ** 2, axis=0)
    both = np.mean((x - x_mean) * (y - y_mean), axis=0)
    slope = both / x_var
    r = both / np.sqrt(x_var * y_var)
    freedom = len(x) - 2
    chance = chance_of(r * np.sqrt(freedom / (1 - r * r)), freedom, alternative)
    error = np.sqrt((1 - r * r) * y_var / x_var / freedom)
    return Line(slope, y_mean - slope * x_mean, r, chance, error)


@table.of(stats.ttest_1samp)
def ttest_1samp(a: Any, popmean: Any, axis: Any = 0, *, alternative: str = "two-sided") -> Any:
    """Return how far the mean of a sample is from a number, in its error."""
    t = (np.mean(a, axis=axis) - popmean) / stats.sem(a, axis)
    freedom = reduced_size(np.shape(a), axis) - 1
    return Tested(t, chance_of(t, freedom, alternative))


@table.of(stats.ttest_rel)
def ttest_rel(a: Any, b: Any, axis: Any = 0, *, alternative: str = "two-sided") -> Any:
    """Return how far the mean of differences is from zero, in its error."""
    t = np.mean(a - b, axis=axis) / stats.sem(a - b, axis)
    freedom = reduced_size(np.shape(a), axis) - 1
    return Tested(t, chance_of(t, freedom, alternative))


@written_out
def distance_of_means(means: Any, variances: Any, counts: Any, equal_var: bool) -> Any:
    """Return how far two means are from each other, in its error, and the degrees of freedom."""
    (first, second), (m, n) = variances, counts
    if equal_var:
        freedom = m + n - 2
        square = ((m - 1) * first + (n - 1) * second) / freedom * (1 / m + 1 / n)
    else:
        square = first / m + second / n
        freedom = square**2 / ((first / m) ** 2 / (m - 1) + (second / n) ** 2 / (n - 1))
    return (means[0] - means[1]) / np.sqrt(square), freedom


@table.of(stats.ttest_ind)
def ttest_ind(
    a: Any, b: Any, *, axis: Any = 0, equal_var: bool = True, alternative: str = "two-sided"
) -> Any:
    """Return how far the means of two samples are from each other, in the error of that."""
    m, n = reduced_size(np.shape(a), axis), reduced_size(np.shape(b), axis)
    means = np.mean(a, axis=axis), np.mean(b, axis=axis)
    variances = np.var(a, axis=axis, ddof=1), np.var(b, axis=axis, ddof=1)
    t, freedom = distance_of_means(means, variances, (m, n), equal_var)
    return Tested(t, chance_of(t, freedom, alternative))


@table.of(stats.ttest_ind_from_stats)
def ttest_ind_from_stats(
    mean1: Any,
    std1: Any,
    nobs1: Any,
    mean2: Any,
    std2: Any,
    nobs2: Any,
    equal_var: bool = True,
    alternative: str = "two-sided",
) -> Any:
    """Return how far two means are from each other, in the error of that."""
    variances = std1 * std1, std2 * std2
    t, freedom = distance_of_means((mean1, mean2), variances, (nobs1, nobs2), equal_var)
    return Tested(t, chance_of(t, freedom, alternative))


@table.of(stats.f_oneway)
def f_oneway(*samples: Any) -> Any:
    """Return how far the means of groups are from each other, in the error of that."""
    every = np.concatenate(samples)
    middle = np.mean(every, axis=0)
    between, within = 0.0, 0.0
    for sample in samples:
        mean = np.mean(sample, axis=0)
        between = between + len(sample) * (mean - middle) ** 2
        within = within + np.sum((sample - mean) ** 2, axis=0)
    groups, rest = len(samples) - 1, len(every) - len(samples)
    ratio = between / groups / (within / rest)
    return Tested(ratio, special.fdtrc(groups, rest, ratio))


@table.of(stats.chisquare)
def chisquare(f_obs: Any, f_exp: Any = None, ddof: int = 0, axis: int = 0) -> Any:
    """Return the squares of what frequencies differ by, in what is expected."""
    expected = np.mean(f_obs, axis=axis, keepdims=True) if f_exp is None else f_exp
    square = np.sum((f_obs - expected) ** 2 / expected, axis=axis)
    count = reduced_size(np.shape(f_obs), axis)
    return Tested(square, special.chdtrc(count - 1 - ddof, square))


@table.of(stats.jarque_bera)
def jarque_bera(x: Any, *, axis: Any = None) -> Any:
    """Return how far skewness and kurtosis are from those of a normal law."""
    count = reduced_size(np.shape(x), axis)
    square = count / 6 * (stats.skew(x, axis) ** 2 + stats.kurtosis(x, axis) ** 2 / 4)
    return Tested(square, special.chdtrc(2, square))


EQUIVALENTS = table.freeze()
