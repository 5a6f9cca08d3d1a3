"""Densities and distribution functions of ``scipy.stats`` that are written out with others."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special, stats

from srcgrad.rules.equivalents.registry import EquivalentTable, in_place, written_out

table = EquivalentTable()


@written_out
def exponential_of(logarithm: Callable[..., Any], *args: Any, **parameters: Any) -> Any:
    """Return a density, given its logarithm."""
    return np.exp(logarithm(*args, **parameters))


def law(distribution: Any) -> Callable[[Any], Any]:
    """Register the decorated function as the logarithm of a density, and so its exponential."""

    def add(logarithm: Any) -> Any:
        table.of(distribution.logpdf)(logarithm)
        table.of(distribution.pdf, logarithm)(exponential_of)
        return logarithm

    return add


@law(stats.maxwell)
def maxwell_logpdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """Return the logarithm of the density."""
    z = (x - loc) / scale
    inside = 0.5 * math.log(2 / math.pi) + 2 * np.log(z) - z * z / 2 - np.log(scale)
    return np.where(z > 0, inside, -np.inf)


@table.of(stats.maxwell.cdf)
def maxwell_cdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """Return the distribution function."""
    z = np.maximum((x - loc) / scale, 0)
    return special.gammainc(1.5, z * z / 2)


@law(stats.chi)
def chi_logpdf(x: Any, df: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """Return the logarithm of the density."""
    z = (x - loc) / scale
    norm = (df / 2 - 1) * math.log(2) + special.gammaln(df / 2) + np.log(scale)
    return np.where(z > 0, special.xlogy(df - 1, z) - z * z / 2 - norm, -np.inf)


@table.of(stats.chi.cdf)
def chi_cdf(x: Any, df: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """Return the distribution function."""
    z = np.maximum((x - loc) / scale, 0)
    return special.gammainc(df / 2, z * z / 2)


@law(stats.nakagami)
def nakagami_logpdf(x: Any, nu: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """Return the logarithm of the density."""
    z = (x - loc) / scale
    norm = math.log(2) + special.xlogy(nu, nu) - special.gammaln(nu) - np.log(scale)
    return np.where(z > 0, norm + special.xlogy(2 * nu - 1, z) - nu * z * z, -np.inf)


@table.of(stats.nakagami.cdf)
def nakagami_cdf(x: Any, nu: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """Return the distribution function."""
    z = np.maximum((x - loc) / scale, 0)
    return special.gammainc(nu, nu * z * z)


@in_place
def log1p_by(c: Any, z: Any) -> Any:
    """Return ``log1p(c * z) / c``, which is `z` at 0, so that its slopes are right near there."""
    t = c * z
    flat = np.abs(t) < 1e-3
    series = z * (t * (t * (t * (t / 5 - 0.25) + 1 / 3) - 0.5) + 1)
    return np.where(flat, series, np.log1p(t) / np.where(flat, 1, c))


@law(stats.genpareto)
def genpareto_logpdf(x: Any, c: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """Return the logarithm of the density."""
    z = (x - loc) / scale
    inside = -log1p_by(c, z) - np.log1p(c * z) - np.log(scale)
    return np.where((z >= 0) & (1 + c * z > 0), inside, -np.inf)


@law(stats.genextreme)
def genextreme_logpdf(x: Any, c: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """Return the logarithm of the density."""
    z = (x - loc) / scale
    power = log1p_by(c, -z)
    inside = power - np.log1p(-c * z) - np.exp(power) - np.log(scale)
    return np.where(c * z < 1, inside, -np.inf)


@table.of(stats.genextreme.cdf)
def genextreme_cdf(x: Any, c: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """Return the distribution function."""
    z = (x - loc) / scale
    power = log1p_by(c, -z)
    return np.where(c * z < 1, np.exp(-np.exp(power)), np.where(c > 0, 1.0, 0.0))


@law(stats.fisk)
def fisk_logpdf(x: Any, c: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """Return the logarithm of the density."""
    z = (x - loc) / scale
    steep = c * np.log(z)
    return np.where(z > 0, np.log(c / scale / z) + steep - 2 * np.logaddexp(0, steep), -np.inf)


@table.of(stats.fisk.cdf)
def fisk_cdf(x: Any, c: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """Return the distribution function."""
    z = (x - loc) / scale
    return np.where(z > 0, special.expit(c * np.log(z)), 0.0)


@law(stats.lomax)
def lomax_logpdf(x: Any, c: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """Return the logarithm of the density."""
    z = (x - loc) / scale
    return np.where(z >= 0, np.log(c / scale) - (c + 1) * np.log1p(z), -np.inf)


@law(stats.powerlaw)
def powerlaw_logpdf(x: Any, a: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """Return the logarithm of the density."""
    z = (x - loc) / scale
    inside = np.log(a / scale) + special.xlogy(a - 1, z)
    return np.where((z >= 0) & (z <= 1), inside, -np.inf)


@law(stats.loguniform)
def loguniform_logpdf(x: Any, a: Any, b: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """Return the logarithm of the density."""
    z = (x - loc) / scale
    inside = -np.log(z) - np.log(np.log(b / a)) - np.log(scale)
    return np.where((z >= a) & (z <= b), inside, -np.inf)


@law(stats.invgauss)
def invgauss_logpdf(x: Any, mu: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """Return the logarithm of the density."""
    z = (x - loc) / scale
    bent = (z - mu) ** 2 / (2 * z * mu * mu)
    inside = -0.5 * math.log(2 * math.pi) - 1.5 * np.log(z) - bent - np.log(scale)
    return np.where(z > 0, inside, -np.inf)


@law(stats.gengamma)
def gengamma_logpdf(x: Any, a: Any, c: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """Return the logarithm of the density."""
    z = (x - loc) / scale
    inside = np.log(np.abs(c) / scale) + special.xlogy(c * a - 1, z) - z**c - special.gammaln(a)
    return np.where(z > 0, inside, -np.inf)


@law(stats.halfcauchy)
def halfcauchy_logpdf(x: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """Return the logarithm of the density."""
    z = (x - loc) / scale
    return np.where(z >= 0, math.log(2 / math.pi) - np.log1p(z * z) - np.log(scale), -np.inf)


@law(stats.gennorm)
def gennorm_logpdf(x: Any, beta: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """Return the logarithm of the density."""
    z = (x - loc) / scale
    return np.log(beta / 2 / scale) - special.gammaln(1 / beta) - np.abs(z) ** beta


@law(stats.laplace_asymmetric)
def laplace_asymmetric_logpdf(x: Any, kappa: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """Return the logarithm of the density."""
    z = (x - loc) / scale
    return z * np.where(z >= 0, -kappa, 1 / kappa) - np.log((kappa + 1 / kappa) * scale)


@law(stats.johnsonsu)
def johnsonsu_logpdf(x: Any, a: Any, b: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """Return the logarithm of the density."""
    z = (x - loc) / scale
    level = a + b * np.arcsinh(z)
    height = np.log(b / scale) - 0.5 * np.log1p(z * z)
    return height - level * level / 2 - 0.5 * math.log(2 * math.pi)


@law(stats.rice)
def rice_logpdf(x: Any, b: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """Return the logarithm of the density."""
    z = (x - loc) / scale
    inside = np.log(z / scale) - (z - b) ** 2 / 2 + np.log(special.i0e(z * b))
    return np.where(z > 0, inside, -np.inf)


@law(stats.gompertz)
def gompertz_logpdf(x: Any, c: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """Return the logarithm of the density."""
    z = (x - loc) / scale
    return np.where(z >= 0, np.log(c / scale) + z - c * np.expm1(z), -np.inf)


@law(stats.ncx2)
def ncx2_logpdf(x: Any, df: Any, nc: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """Return the logarithm of the density (Johnson, Kotz and Balakrishnan 1995, 29.4)."""
    z = (x - loc) / scale
    half = (np.sqrt(z) - np.sqrt(nc)) ** 2 / 2
    bent = np.log(special.ive(df / 2 - 1, np.sqrt(nc * z))) + (df / 4 - 0.5) * np.log(z / nc)
    return np.where(z > 0, bent - half - np.log(2 * scale), -np.inf)


@table.of(stats.ncx2.cdf)
def ncx2_cdf(x: Any, df: Any, nc: Any, loc: Any = 0, scale: Any = 1) -> Any:
    """Return the distribution function."""
    return special.chndtr(np.maximum((x - loc) / scale, 0), df, nc)


EQUIVALENTS = table.freeze()
