"""Rules of the gamma distribution and its kin."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special, stats

from srcgrad.rules.registry import RuleTable
from srcgrad.runtime.scipy.parameters import gammainc_slope

table = RuleTable("positive_distributions", real=True)


@table.partials(stats.expon.logpdf)
def expon_logpdf(x: Any, loc: Any = 0, scale: Any = 1) -> tuple[Any, ...]:
    z = (x - loc) / scale
    by_z = -1
    return by_z / scale, -by_z / scale, -(1 + z * by_z) / scale


@table.partials(stats.expon.pdf)
def expon_pdf(x: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    z = (x - loc) / scale
    by_z = -1
    return out * by_z / scale, -out * by_z / scale, -out * (1 + z * by_z) / scale


@table.partials(stats.expon.cdf)
def expon_cdf(x: Any, loc: Any = 0, scale: Any = 1) -> tuple[Any, ...]:
    density = stats.expon.pdf(x, loc, scale)
    z = (x - loc) / scale
    return density, -density, -density * z


@table.partials(stats.expon.sf)
def expon_sf(x: Any, loc: Any = 0, scale: Any = 1) -> tuple[Any, ...]:
    density = stats.expon.pdf(x, loc, scale)
    z = (x - loc) / scale
    return -density, density, density * z


@table.partials(stats.expon.logcdf)
def expon_logcdf(x: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    density = np.exp(stats.expon.logpdf(x, loc, scale) - out)
    z = (x - loc) / scale
    return density, -density, -density * z


@table.partials(stats.expon.logsf)
def expon_logsf(x: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    density = np.exp(stats.expon.logpdf(x, loc, scale) - out)
    z = (x - loc) / scale
    return -density, density, density * z


@table.partials(stats.expon.ppf)
def expon_ppf(q: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    z = (out - loc) / scale
    return 1 / stats.expon.pdf(out, loc, scale), 1, z


@table.partials(stats.expon.isf)
def expon_isf(q: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    z = (out - loc) / scale
    return -1 / stats.expon.pdf(out, loc, scale), 1, z


@table.partials(stats.gamma.logpdf)
def gamma_logpdf(x: Any, a: Any, loc: Any = 0, scale: Any = 1) -> tuple[Any, ...]:
    z = (x - loc) / scale
    by_z = (a - 1) / z - 1
    return by_z / scale, np.log(z) - special.digamma(a), -by_z / scale, -(1 + z * by_z) / scale


@table.partials(stats.gamma.pdf)
def gamma_pdf(x: Any, a: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    z = (x - loc) / scale
    by_z = (a - 1) / z - 1
    return (
        out * by_z / scale,
        out * (np.log(z) - special.digamma(a)),
        -out * by_z / scale,
        -out * (1 + z * by_z) / scale,
    )


@table.partials(stats.gamma.cdf)
def gamma_cdf(x: Any, a: Any, loc: Any = 0, scale: Any = 1) -> tuple[Any, ...]:
    density = stats.gamma.pdf(x, a, loc, scale)
    z = (x - loc) / scale
    return density, lambda: gammainc_slope(a, np.maximum(z, 0)), -density, -density * z


@table.partials(stats.gamma.sf)
def gamma_sf(x: Any, a: Any, loc: Any = 0, scale: Any = 1) -> tuple[Any, ...]:
    density = stats.gamma.pdf(x, a, loc, scale)
    z = (x - loc) / scale
    return -density, lambda: -gammainc_slope(a, np.maximum(z, 0)), density, density * z


@table.partials(stats.gamma.logcdf)
def gamma_logcdf(x: Any, a: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    density = np.exp(stats.gamma.logpdf(x, a, loc, scale) - out)
    z = (x - loc) / scale
    return (
        density,
        lambda: gammainc_slope(a, np.maximum(z, 0)) * np.exp(-out),
        -density,
        -density * z,
    )


@table.partials(stats.gamma.logsf)
def gamma_logsf(x: Any, a: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    density = np.exp(stats.gamma.logpdf(x, a, loc, scale) - out)
    z = (x - loc) / scale
    return (
        -density,
        lambda: -gammainc_slope(a, np.maximum(z, 0)) * np.exp(-out),
        density,
        density * z,
    )


@table.partials(stats.gamma.ppf)
def gamma_ppf(q: Any, a: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    z = (out - loc) / scale
    return (
        1 / stats.gamma.pdf(out, a, loc, scale),
        lambda: -gammainc_slope(a, np.maximum(z, 0)) / stats.gamma.pdf(out, a, loc, scale),
        1,
        z,
    )


@table.partials(stats.gamma.isf)
def gamma_isf(q: Any, a: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    z = (out - loc) / scale
    return (
        -1 / stats.gamma.pdf(out, a, loc, scale),
        lambda: -gammainc_slope(a, np.maximum(z, 0)) / stats.gamma.pdf(out, a, loc, scale),
        1,
        z,
    )


@table.partials(stats.invgamma.logpdf)
def invgamma_logpdf(x: Any, a: Any, loc: Any = 0, scale: Any = 1) -> tuple[Any, ...]:
    z = (x - loc) / scale
    by_z = 1 / (z * z) - (a + 1) / z
    return by_z / scale, -np.log(z) - special.digamma(a), -by_z / scale, -(1 + z * by_z) / scale


@table.partials(stats.invgamma.pdf)
def invgamma_pdf(x: Any, a: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    z = (x - loc) / scale
    by_z = 1 / (z * z) - (a + 1) / z
    return (
        out * by_z / scale,
        out * (-np.log(z) - special.digamma(a)),
        -out * by_z / scale,
        -out * (1 + z * by_z) / scale,
    )


@table.partials(stats.invgamma.cdf)
def invgamma_cdf(x: Any, a: Any, loc: Any = 0, scale: Any = 1) -> tuple[Any, ...]:
    density = stats.invgamma.pdf(x, a, loc, scale)
    z = (x - loc) / scale
    return density, lambda: -gammainc_slope(a, 1 / np.maximum(z, 0)), -density, -density * z


@table.partials(stats.invgamma.sf)
def invgamma_sf(x: Any, a: Any, loc: Any = 0, scale: Any = 1) -> tuple[Any, ...]:
    density = stats.invgamma.pdf(x, a, loc, scale)
    z = (x - loc) / scale
    return -density, lambda: gammainc_slope(a, 1 / np.maximum(z, 0)), density, density * z


@table.partials(stats.invgamma.logcdf)
def invgamma_logcdf(x: Any, a: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    density = np.exp(stats.invgamma.logpdf(x, a, loc, scale) - out)
    z = (x - loc) / scale
    return (
        density,
        lambda: -gammainc_slope(a, 1 / np.maximum(z, 0)) * np.exp(-out),
        -density,
        -density * z,
    )


@table.partials(stats.invgamma.logsf)
def invgamma_logsf(x: Any, a: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    density = np.exp(stats.invgamma.logpdf(x, a, loc, scale) - out)
    z = (x - loc) / scale
    return (
        -density,
        lambda: gammainc_slope(a, 1 / np.maximum(z, 0)) * np.exp(-out),
        density,
        density * z,
    )


@table.partials(stats.invgamma.ppf)
def invgamma_ppf(q: Any, a: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    z = (out - loc) / scale
    return (
        1 / stats.invgamma.pdf(out, a, loc, scale),
        lambda: gammainc_slope(a, 1 / np.maximum(z, 0)) / stats.invgamma.pdf(out, a, loc, scale),
        1,
        z,
    )


@table.partials(stats.invgamma.isf)
def invgamma_isf(q: Any, a: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    z = (out - loc) / scale
    return (
        -1 / stats.invgamma.pdf(out, a, loc, scale),
        lambda: gammainc_slope(a, 1 / np.maximum(z, 0)) / stats.invgamma.pdf(out, a, loc, scale),
        1,
        z,
    )


@table.partials(stats.chi2.logpdf)
def chi2_logpdf(x: Any, df: Any, loc: Any = 0, scale: Any = 1) -> tuple[Any, ...]:
    z = (x - loc) / scale
    by_z = (df / 2 - 1) / z - 0.5
    return (
        by_z / scale,
        (np.log(z / 2) - special.digamma(df / 2)) / 2,
        -by_z / scale,
        -(1 + z * by_z) / scale,
    )


@table.partials(stats.chi2.pdf)
def chi2_pdf(x: Any, df: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    z = (x - loc) / scale
    by_z = (df / 2 - 1) / z - 0.5
    return (
        out * by_z / scale,
        out * ((np.log(z / 2) - special.digamma(df / 2)) / 2),
        -out * by_z / scale,
        -out * (1 + z * by_z) / scale,
    )


@table.partials(stats.chi2.cdf)
def chi2_cdf(x: Any, df: Any, loc: Any = 0, scale: Any = 1) -> tuple[Any, ...]:
    density = stats.chi2.pdf(x, df, loc, scale)
    z = (x - loc) / scale
    return density, lambda: gammainc_slope(df / 2, np.maximum(z, 0) / 2) / 2, -density, -density * z


@table.partials(stats.chi2.sf)
def chi2_sf(x: Any, df: Any, loc: Any = 0, scale: Any = 1) -> tuple[Any, ...]:
    density = stats.chi2.pdf(x, df, loc, scale)
    z = (x - loc) / scale
    return -density, lambda: -gammainc_slope(df / 2, np.maximum(z, 0) / 2) / 2, density, density * z


@table.partials(stats.chi2.logcdf)
def chi2_logcdf(x: Any, df: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    density = np.exp(stats.chi2.logpdf(x, df, loc, scale) - out)
    z = (x - loc) / scale
    return (
        density,
        lambda: gammainc_slope(df / 2, np.maximum(z, 0) / 2) / 2 * np.exp(-out),
        -density,
        -density * z,
    )


@table.partials(stats.chi2.logsf)
def chi2_logsf(x: Any, df: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    density = np.exp(stats.chi2.logpdf(x, df, loc, scale) - out)
    z = (x - loc) / scale
    return (
        -density,
        lambda: -gammainc_slope(df / 2, np.maximum(z, 0) / 2) / 2 * np.exp(-out),
        density,
        density * z,
    )


@table.partials(stats.chi2.ppf)
def chi2_ppf(q: Any, df: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    z = (out - loc) / scale
    return (
        1 / stats.chi2.pdf(out, df, loc, scale),
        lambda: (
            -gammainc_slope(df / 2, np.maximum(z, 0) / 2) / 2 / stats.chi2.pdf(out, df, loc, scale)
        ),
        1,
        z,
    )


@table.partials(stats.chi2.isf)
def chi2_isf(q: Any, df: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    z = (out - loc) / scale
    return (
        -1 / stats.chi2.pdf(out, df, loc, scale),
        lambda: (
            -gammainc_slope(df / 2, np.maximum(z, 0) / 2) / 2 / stats.chi2.pdf(out, df, loc, scale)
        ),
        1,
        z,
    )


@table.partials(stats.rayleigh.logpdf)
def rayleigh_logpdf(x: Any, loc: Any = 0, scale: Any = 1) -> tuple[Any, ...]:
    z = (x - loc) / scale
    by_z = 1 / z - z
    return by_z / scale, -by_z / scale, -(1 + z * by_z) / scale


@table.partials(stats.rayleigh.pdf)
def rayleigh_pdf(x: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    z = (x - loc) / scale
    by_z = 1 / z - z
    return out * by_z / scale, -out * by_z / scale, -out * (1 + z * by_z) / scale


@table.partials(stats.rayleigh.cdf)
def rayleigh_cdf(x: Any, loc: Any = 0, scale: Any = 1) -> tuple[Any, ...]:
    density = stats.rayleigh.pdf(x, loc, scale)
    z = (x - loc) / scale
    return density, -density, -density * z


@table.partials(stats.rayleigh.sf)
def rayleigh_sf(x: Any, loc: Any = 0, scale: Any = 1) -> tuple[Any, ...]:
    density = stats.rayleigh.pdf(x, loc, scale)
    z = (x - loc) / scale
    return -density, density, density * z


@table.partials(stats.rayleigh.logcdf)
def rayleigh_logcdf(x: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    density = np.exp(stats.rayleigh.logpdf(x, loc, scale) - out)
    z = (x - loc) / scale
    return density, -density, -density * z


@table.partials(stats.rayleigh.logsf)
def rayleigh_logsf(x: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    density = np.exp(stats.rayleigh.logpdf(x, loc, scale) - out)
    z = (x - loc) / scale
    return -density, density, density * z


@table.partials(stats.rayleigh.ppf)
def rayleigh_ppf(q: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    z = (out - loc) / scale
    return 1 / stats.rayleigh.pdf(out, loc, scale), 1, z


@table.partials(stats.rayleigh.isf)
def rayleigh_isf(q: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    z = (out - loc) / scale
    return -1 / stats.rayleigh.pdf(out, loc, scale), 1, z


RULES = table.freeze()
