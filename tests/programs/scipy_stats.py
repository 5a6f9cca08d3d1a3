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


HALF_KNOWN = stats.norm(0.2, scale=1.5)
ESTIMATE = stats.gaussian_kde(np.array([0.1, 0.5, 0.6, 1.3]))


@program("v", "s", "s")
def laws_that_hold_their_parameters(x, mu, sigma):
    """Made here and outside, by position and by name."""
    law = stats.norm(2 * mu, scale=sigma)
    mu = mu + 1
    joint = stats.multivariate_normal([0.0, 0.1], sigma * np.eye(2))
    known = HALF_KNOWN.logpdf(mu) + joint.logpdf(x[:2])
    return np.sum(law.logpdf(x)) + known + law.interval(0.5)[1] * law.std()


@program("v", "v")
def shares_of_counts(x, y):
    """Counts with unknown shares, which add up to 1."""
    shares = np.exp(x) / np.sum(np.exp(x))
    counts = np.ones(len(x), dtype=int)
    law = stats.multinomial(len(x), shares)
    return law.logpmf(counts) + stats.multinomial.pmf(counts, len(x), shares) * y[0]


@program("v", "s")
def densities_of_usual_widths(x, place):
    """The width of the kernels is told by a rule of thumb."""
    wide = stats.gaussian_kde(x, bw_method="silverman")
    return stats.gaussian_kde(x)(place)[0] * wide.logpdf(place)[0]


@program("v", "s")
def density_of_a_sample(x, place):
    """The estimate is differentiated in what it is made of, and where it is asked."""
    estimate = stats.gaussian_kde(x, bw_method=0.4)
    there = estimate(np.array([0.1, 0.4])) * ESTIMATE(x[:2])
    return np.sum(there) + estimate.logpdf(place)[0] + estimate.integrate_box_1d(0.0, place)
