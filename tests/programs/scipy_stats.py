"""Programs that call the distributions of ``scipy.stats`` as scientific code does."""

from __future__ import annotations

import numpy as np
import scipy.stats
from scipy import stats
from scipy.stats import multivariate_normal, norm

from tests.programs.corpus import program

COUNTS = np.array([0, 2, 1, 4])
POINTS = np.array([[0.2, -0.4], [1.1, 0.3], [-0.7, 0.5]])


@program("v", "s", "s")
def normal_likelihood(x, mu, sigma):
    """The first thing that anybody fits."""
    return -np.sum(stats.norm.logpdf(x, loc=mu, scale=sigma))


@program("v", "s")
def censored_likelihood(x, sigma):
    """Some were seen, of others only that they were above."""
    seen = norm.logpdf(x[:2], 0.1, sigma)
    return np.sum(seen) + np.sum(norm.logsf(x[2:], 0.1, sigma))


@program("s", "s")
def price_of_an_option(spot, volatility):
    """The formula of Black and Scholes."""
    d1 = (np.log(spot) + 0.5 * volatility**2) / volatility
    return spot * norm.cdf(d1) - norm.cdf(d1 - volatility)


@program("v", "s", "s")
def robust_regression(x, scale, df):
    """Student's distribution, with its degrees of freedom."""
    return np.sum(scipy.stats.t.logpdf(x, df + 1.0, scale=scale))


@program("v", "s")
def counts_with_a_log_link(x, shape):
    """Counts, given a rate with a prior of its own."""
    rate = np.exp(0.3 * x)
    prior = stats.gamma.logpdf(rate, shape, scale=0.5)
    return np.sum(stats.poisson.logpmf(COUNTS, rate) + prior)


@program("v", "s")
def quantiles_of_a_copula(x, scale):
    """There and back again through the unit interval."""
    u = norm.cdf(x, scale=scale)
    return np.sum(stats.logistic.ppf(u) * stats.expon.ppf(u) + stats.lognorm.isf(u, 0.7))


@program(("m", 2, 2), ("v", 2))
def mixture_of_vectors(root, mean):
    """Two clouds, one of them with a covariance of its own."""
    cov = root @ root.T + np.eye(2)
    first = multivariate_normal.logpdf(POINTS, mean, cov)
    second = multivariate_normal.pdf(POINTS, mean, cov)
    return np.sum(np.log(0.4 * np.exp(first) + 0.6 * second))
