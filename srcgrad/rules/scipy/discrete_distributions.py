"""Rules of distributions of counts: in their parameters."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special, stats

from srcgrad.rules.registry import RuleTable

table = RuleTable("discrete_distributions", real=True)


@table.partials(stats.poisson.logpmf)
def poisson_logpmf(k: Any, mu: Any, loc: Any = 0) -> tuple[Any, ...]:
    k = k - loc
    return None, k / mu - 1, None


@table.partials(stats.poisson.pmf)
def poisson_pmf(k: Any, mu: Any, loc: Any = 0, *, out: Any) -> tuple[Any, ...]:
    k = k - loc
    return None, out * (k / mu - 1), None


@table.partials(stats.binom.logpmf)
def binom_logpmf(k: Any, n: Any, p: Any, loc: Any = 0) -> tuple[Any, ...]:
    k = k - loc
    return None, None, k / p - (n - k) / (1 - p), None


@table.partials(stats.binom.pmf)
def binom_pmf(k: Any, n: Any, p: Any, loc: Any = 0, *, out: Any) -> tuple[Any, ...]:
    k = k - loc
    return None, None, out * (k / p - (n - k) / (1 - p)), None


@table.partials(stats.bernoulli.logpmf)
def bernoulli_logpmf(k: Any, p: Any, loc: Any = 0) -> tuple[Any, ...]:
    k = k - loc
    return None, k / p - (1 - k) / (1 - p), None


@table.partials(stats.bernoulli.pmf)
def bernoulli_pmf(k: Any, p: Any, loc: Any = 0, *, out: Any) -> tuple[Any, ...]:
    k = k - loc
    return None, out * (k / p - (1 - k) / (1 - p)), None


@table.partials(stats.nbinom.logpmf)
def nbinom_logpmf(k: Any, n: Any, p: Any, loc: Any = 0) -> tuple[Any, ...]:
    k = k - loc
    return None, special.digamma(n + k) - special.digamma(n) + np.log(p), n / p - k / (1 - p), None


@table.partials(stats.nbinom.pmf)
def nbinom_pmf(k: Any, n: Any, p: Any, loc: Any = 0, *, out: Any) -> tuple[Any, ...]:
    k = k - loc
    return (
        None,
        out * (special.digamma(n + k) - special.digamma(n) + np.log(p)),
        out * (n / p - k / (1 - p)),
        None,
    )


@table.partials(stats.geom.logpmf)
def geom_logpmf(k: Any, p: Any, loc: Any = 0) -> tuple[Any, ...]:
    k = k - loc
    return None, 1 / p - (k - 1) / (1 - p), None


@table.partials(stats.geom.pmf)
def geom_pmf(k: Any, p: Any, loc: Any = 0, *, out: Any) -> tuple[Any, ...]:
    k = k - loc
    return None, out * (1 / p - (k - 1) / (1 - p)), None


@table.partials(stats.betabinom.logpmf)
def betabinom_logpmf(k: Any, n: Any, a: Any, b: Any, loc: Any = 0) -> tuple[Any, ...]:
    k = k - loc
    both = special.digamma(a + b) - special.digamma(n + a + b)
    return (
        None,
        None,
        special.digamma(k + a) - special.digamma(a) + both,
        special.digamma(n - k + b) - special.digamma(b) + both,
        None,
    )


@table.partials(stats.betabinom.pmf)
def betabinom_pmf(k: Any, n: Any, a: Any, b: Any, loc: Any = 0, *, out: Any) -> tuple[Any, ...]:
    k = k - loc
    both = special.digamma(a + b) - special.digamma(n + a + b)
    return (
        None,
        None,
        out * (special.digamma(k + a) - special.digamma(a) + both),
        out * (special.digamma(n - k + b) - special.digamma(b) + both),
        None,
    )


@table.partials(stats.poisson.cdf)
def poisson_cdf(k: Any, mu: Any, loc: Any = 0) -> tuple[Any, ...]:
    return None, -stats.poisson.pmf(np.floor(k), mu, loc), None


@table.partials(stats.binom.cdf)
def binom_cdf(k: Any, n: Any, p: Any, loc: Any = 0) -> tuple[Any, ...]:
    return None, None, -n * stats.binom.pmf(np.floor(k), n - 1, p, loc), None


@table.partials(stats.poisson.sf)
def poisson_sf(k: Any, mu: Any, loc: Any = 0) -> tuple[Any, ...]:
    return None, stats.poisson.pmf(np.floor(k), mu, loc), None


@table.partials(stats.binom.sf)
def binom_sf(k: Any, n: Any, p: Any, loc: Any = 0) -> tuple[Any, ...]:
    return None, None, n * stats.binom.pmf(np.floor(k), n - 1, p, loc), None


RULES = table.freeze()
