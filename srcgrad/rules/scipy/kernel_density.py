"""The density that ``scipy.stats.gaussian_kde`` estimates, in its points and in its data."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special, stats

from srcgrad.rules.equivalents.registry import EquivalentTable, in_place, written_out

table = EquivalentTable()


@written_out
def log_terms(points: Any, dataset: Any, factor: Any) -> Any:
    """Return the logarithm of the kernel of each point of the data, at each point."""
    size = len(dataset)
    places = np.reshape(points, (size, -1))
    off = places[:, :, None] - dataset[:, None, :]
    flat = np.linalg.solve(factor, np.reshape(off, (size, -1)))
    far = np.reshape(np.sum(flat * flat, axis=0), np.shape(off)[1:])
    norm = size / 2 * math.log(2 * math.pi) + np.sum(np.log(np.diagonal(factor)))
    return -far / 2 - norm


@written_out
def width(bw_method: Any, count: Any, size: int) -> Any:
    """Return how wide a kernel is, in deviations of the data."""
    if bw_method is None or bw_method == "scott":
        found = count ** (-1.0 / (size + 4))
    elif bw_method == "silverman":
        found = (count * (size + 2) / 4) ** (-1.0 / (size + 4))
    else:
        found = bw_method
    return found


class KernelDensity:
    """What `gaussian_kde` makes."""

    __srcgrad_written_out__ = True

    def __init__(self, dataset: Any, bw_method: Any, weights: Any) -> None:
        self.dataset = np.atleast_2d(dataset)
        if weights is None:
            shares = np.ones_like(self.dataset, shape=np.shape(self.dataset)[1:])
        else:
            shares = weights
        self.weights = shares / np.sum(shares)
        squares = np.sum(self.weights**2)
        off = self.dataset - (self.dataset @ self.weights)[:, None]
        wide = width(bw_method, 1 / squares, len(self.dataset))
        self.covariance = (off * self.weights) @ off.T / (1 - squares) * wide**2
        self.factor = np.linalg.cholesky(self.covariance)

    def evaluate(self, points: Any) -> Any:
        """Return the density at points."""
        return np.exp(log_terms(points, self.dataset, self.factor)) @ self.weights

    def pdf(self, x: Any) -> Any:
        """Return the density at points."""
        return np.exp(log_terms(x, self.dataset, self.factor)) @ self.weights

    def __call__(self, points: Any) -> Any:
        """Return the density at points."""
        return np.exp(log_terms(points, self.dataset, self.factor)) @ self.weights

    def logpdf(self, x: Any) -> Any:
        """Return the logarithm of the density at points."""
        terms = log_terms(x, self.dataset, self.factor) + np.log(self.weights)
        top = np.max(terms, axis=1)
        return top + np.log(np.sum(np.exp(terms - top[:, None]), axis=1))

    def integrate_box_1d(self, low: Any, high: Any) -> Any:
        """Return the share of the density between two points."""
        deviation = self.factor[0, 0]
        above = special.ndtr((high - self.dataset[0]) / deviation)
        below = special.ndtr((low - self.dataset[0]) / deviation)
        return np.sum((above - below) * self.weights)


@table.of(stats.gaussian_kde)
def gaussian_kde(dataset: Any, bw_method: Any = None, weights: Any = None) -> Any:
    """Make an object that estimates a density."""
    return KernelDensity(dataset, bw_method, weights)


@in_place
def density_at(estimate: Any, points: Any) -> Any:
    """Return what an estimate that is there already says of points."""
    return np.exp(log_terms(points, estimate.dataset, estimate.cho_cov)) @ estimate.weights


for _method in (
    *(gaussian_kde, KernelDensity.__init__, KernelDensity.__call__, KernelDensity.pdf),
    *(KernelDensity.evaluate, KernelDensity.logpdf, KernelDensity.integrate_box_1d),
):
    in_place(_method)
EQUIVALENTS = table.freeze()
