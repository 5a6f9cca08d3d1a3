"""Rules of the normal distribution and of those made from it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special, stats

from srcgrad.rules.registry import RuleTable

table = RuleTable("normal_distributions", real=True)


@table.partials(stats.norm.logpdf)
def norm_logpdf(x: Any, loc: Any = 0, scale: Any = 1) -> tuple[Any, ...]:
    z = (x - loc) / scale
    return -z / scale, z / scale, (z * z - 1) / scale


@table.partials(stats.norm.pdf)
def norm_pdf(x: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    z = (x - loc) / scale
    return -out * z / scale, out * z / scale, out * (z * z - 1) / scale


@table.partials(stats.norm.cdf)
def norm_cdf(x: Any, loc: Any = 0, scale: Any = 1) -> tuple[Any, ...]:
    density = stats.norm.pdf(x, loc, scale)
    z = (x - loc) / scale
    return density, -density, -density * z


@table.partials(stats.norm.sf)
def norm_sf(x: Any, loc: Any = 0, scale: Any = 1) -> tuple[Any, ...]:
    density = stats.norm.pdf(x, loc, scale)
    z = (x - loc) / scale
    return -density, density, density * z


@table.partials(stats.norm.logcdf)
def norm_logcdf(x: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    density = np.exp(stats.norm.logpdf(x, loc, scale) - out)
    z = (x - loc) / scale
    return density, -density, -density * z


@table.partials(stats.norm.logsf)
def norm_logsf(x: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    density = np.exp(stats.norm.logpdf(x, loc, scale) - out)
    z = (x - loc) / scale
    return -density, density, density * z


@table.partials(stats.norm.ppf)
def norm_ppf(q: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    z = (out - loc) / scale
    return 1 / stats.norm.pdf(out, loc, scale), 1, z


@table.partials(stats.norm.isf)
def norm_isf(q: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    z = (out - loc) / scale
    return -1 / stats.norm.pdf(out, loc, scale), 1, z


@table.partials(stats.lognorm.logpdf)
def lognorm_logpdf(x: Any, s: Any, loc: Any = 0, scale: Any = 1) -> tuple[Any, ...]:
    z = (x - loc) / scale
    log = np.log(z)
    by_z = -(1 + log / (s * s)) / z
    return by_z / scale, log * log / s**3 - 1 / s, -by_z / scale, -(1 + z * by_z) / scale


@table.partials(stats.lognorm.pdf)
def lognorm_pdf(x: Any, s: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    z = (x - loc) / scale
    log = np.log(z)
    by_z = -(1 + log / (s * s)) / z
    return (
        out * by_z / scale,
        out * (log * log / s**3 - 1 / s),
        -out * by_z / scale,
        -out * (1 + z * by_z) / scale,
    )


@table.partials(stats.lognorm.cdf)
def lognorm_cdf(x: Any, s: Any, loc: Any = 0, scale: Any = 1) -> tuple[Any, ...]:
    density = stats.lognorm.pdf(x, s, loc, scale)
    z = (x - loc) / scale
    return density, -density * (x - loc) * np.log(z) / s, -density, -density * z


@table.partials(stats.lognorm.sf)
def lognorm_sf(x: Any, s: Any, loc: Any = 0, scale: Any = 1) -> tuple[Any, ...]:
    density = stats.lognorm.pdf(x, s, loc, scale)
    z = (x - loc) / scale
    return -density, density * (x - loc) * np.log(z) / s, density, density * z


@table.partials(stats.lognorm.logcdf)
def lognorm_logcdf(x: Any, s: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    density = np.exp(stats.lognorm.logpdf(x, s, loc, scale) - out)
    z = (x - loc) / scale
    return density, -density * (x - loc) * np.log(z) / s, -density, -density * z


@table.partials(stats.lognorm.logsf)
def lognorm_logsf(x: Any, s: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    density = np.exp(stats.lognorm.logpdf(x, s, loc, scale) - out)
    z = (x - loc) / scale
    return -density, density * (x - loc) * np.log(z) / s, density, density * z


@table.partials(stats.lognorm.ppf)
def lognorm_ppf(q: Any, s: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    z = (out - loc) / scale
    return 1 / stats.lognorm.pdf(out, s, loc, scale), (out - loc) * np.log(z) / s, 1, z


@table.partials(stats.lognorm.isf)
def lognorm_isf(q: Any, s: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    z = (out - loc) / scale
    return -1 / stats.lognorm.pdf(out, s, loc, scale), (out - loc) * np.log(z) / s, 1, z


@table.partials(stats.halfnorm.logpdf)
def halfnorm_logpdf(x: Any, loc: Any = 0, scale: Any = 1) -> tuple[Any, ...]:
    z = (x - loc) / scale
    by_z = -z
    return by_z / scale, -by_z / scale, -(1 + z * by_z) / scale


@table.partials(stats.halfnorm.pdf)
def halfnorm_pdf(x: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    z = (x - loc) / scale
    by_z = -z
    return out * by_z / scale, -out * by_z / scale, -out * (1 + z * by_z) / scale


@table.partials(stats.halfnorm.cdf)
def halfnorm_cdf(x: Any, loc: Any = 0, scale: Any = 1) -> tuple[Any, ...]:
    density = stats.halfnorm.pdf(x, loc, scale)
    z = (x - loc) / scale
    return density, -density, -density * z


@table.partials(stats.halfnorm.sf)
def halfnorm_sf(x: Any, loc: Any = 0, scale: Any = 1) -> tuple[Any, ...]:
    density = stats.halfnorm.pdf(x, loc, scale)
    z = (x - loc) / scale
    return -density, density, density * z


@table.partials(stats.halfnorm.logcdf)
def halfnorm_logcdf(x: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    density = np.exp(stats.halfnorm.logpdf(x, loc, scale) - out)
    z = (x - loc) / scale
    return density, -density, -density * z


@table.partials(stats.halfnorm.logsf)
def halfnorm_logsf(x: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    density = np.exp(stats.halfnorm.logpdf(x, loc, scale) - out)
    z = (x - loc) / scale
    return -density, density, density * z


@table.partials(stats.halfnorm.ppf)
def halfnorm_ppf(q: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    z = (out - loc) / scale
    return 1 / stats.halfnorm.pdf(out, loc, scale), 1, z


@table.partials(stats.halfnorm.isf)
def halfnorm_isf(q: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    z = (out - loc) / scale
    return -1 / stats.halfnorm.pdf(out, loc, scale), 1, z


@table.partials(stats.truncnorm.logpdf)
def truncnorm_logpdf(x: Any, a: Any, b: Any, loc: Any = 0, scale: Any = 1) -> tuple[Any, ...]:
    z = (x - loc) / scale
    by_z = -z
    return (
        by_z / scale,
        stats.truncnorm.pdf(a, a, b),
        -stats.truncnorm.pdf(b, a, b),
        -by_z / scale,
        -(1 + z * by_z) / scale,
    )


@table.partials(stats.truncnorm.pdf)
def truncnorm_pdf(
    x: Any,
    a: Any,
    b: Any,
    loc: Any = 0,
    scale: Any = 1,
    *,
    out: Any,
) -> tuple[Any, ...]:
    z = (x - loc) / scale
    by_z = -z
    return (
        out * by_z / scale,
        out * (stats.truncnorm.pdf(a, a, b)),
        out * (-stats.truncnorm.pdf(b, a, b)),
        -out * by_z / scale,
        -out * (1 + z * by_z) / scale,
    )


@table.partials(stats.truncnorm.cdf)
def truncnorm_cdf(x: Any, a: Any, b: Any, loc: Any = 0, scale: Any = 1) -> tuple[Any, ...]:
    density = stats.truncnorm.pdf(x, a, b, loc, scale)
    z = (x - loc) / scale
    inside = np.logical_and(a < z, z < b)
    return (
        density,
        lambda: np.where(inside, -stats.truncnorm.pdf(a, a, b) * stats.truncnorm.sf(z, a, b), 0.0),
        lambda: np.where(inside, -stats.truncnorm.pdf(b, a, b) * stats.truncnorm.cdf(z, a, b), 0.0),
        -density,
        -density * z,
    )


@table.partials(stats.truncnorm.sf)
def truncnorm_sf(x: Any, a: Any, b: Any, loc: Any = 0, scale: Any = 1) -> tuple[Any, ...]:
    density = stats.truncnorm.pdf(x, a, b, loc, scale)
    z = (x - loc) / scale
    inside = np.logical_and(a < z, z < b)
    return (
        -density,
        lambda: np.where(inside, stats.truncnorm.pdf(a, a, b) * stats.truncnorm.sf(z, a, b), 0.0),
        lambda: np.where(inside, stats.truncnorm.pdf(b, a, b) * stats.truncnorm.cdf(z, a, b), 0.0),
        density,
        density * z,
    )


@table.partials(stats.truncnorm.logcdf)
def truncnorm_logcdf(
    x: Any,
    a: Any,
    b: Any,
    loc: Any = 0,
    scale: Any = 1,
    *,
    out: Any,
) -> tuple[Any, ...]:
    density = np.exp(stats.truncnorm.logpdf(x, a, b, loc, scale) - out)
    z = (x - loc) / scale
    inside = np.logical_and(a < z, z < b)
    return (
        density,
        lambda: np.where(
            inside, -stats.truncnorm.pdf(a, a, b) * stats.truncnorm.sf(z, a, b) * np.exp(-out), 0.0
        ),
        lambda: np.where(
            inside, -stats.truncnorm.pdf(b, a, b) * stats.truncnorm.cdf(z, a, b) * np.exp(-out), 0.0
        ),
        -density,
        -density * z,
    )


@table.partials(stats.truncnorm.logsf)
def truncnorm_logsf(
    x: Any,
    a: Any,
    b: Any,
    loc: Any = 0,
    scale: Any = 1,
    *,
    out: Any,
) -> tuple[Any, ...]:
    density = np.exp(stats.truncnorm.logpdf(x, a, b, loc, scale) - out)
    z = (x - loc) / scale
    inside = np.logical_and(a < z, z < b)
    return (
        -density,
        lambda: np.where(
            inside, stats.truncnorm.pdf(a, a, b) * stats.truncnorm.sf(z, a, b) * np.exp(-out), 0.0
        ),
        lambda: np.where(
            inside, stats.truncnorm.pdf(b, a, b) * stats.truncnorm.cdf(z, a, b) * np.exp(-out), 0.0
        ),
        density,
        density * z,
    )


@table.partials(stats.truncnorm.ppf)
def truncnorm_ppf(
    q: Any,
    a: Any,
    b: Any,
    loc: Any = 0,
    scale: Any = 1,
    *,
    out: Any,
) -> tuple[Any, ...]:
    z = (out - loc) / scale
    return (
        1 / stats.truncnorm.pdf(out, a, b, loc, scale),
        lambda: (
            stats.truncnorm.pdf(a, a, b)
            * stats.truncnorm.sf(z, a, b)
            / stats.truncnorm.pdf(out, a, b, loc, scale)
        ),
        lambda: (
            stats.truncnorm.pdf(b, a, b)
            * stats.truncnorm.cdf(z, a, b)
            / stats.truncnorm.pdf(out, a, b, loc, scale)
        ),
        1,
        z,
    )


@table.partials(stats.truncnorm.isf)
def truncnorm_isf(
    q: Any,
    a: Any,
    b: Any,
    loc: Any = 0,
    scale: Any = 1,
    *,
    out: Any,
) -> tuple[Any, ...]:
    z = (out - loc) / scale
    return (
        -1 / stats.truncnorm.pdf(out, a, b, loc, scale),
        lambda: (
            stats.truncnorm.pdf(a, a, b)
            * stats.truncnorm.sf(z, a, b)
            / stats.truncnorm.pdf(out, a, b, loc, scale)
        ),
        lambda: (
            stats.truncnorm.pdf(b, a, b)
            * stats.truncnorm.cdf(z, a, b)
            / stats.truncnorm.pdf(out, a, b, loc, scale)
        ),
        1,
        z,
    )


@table.partials(stats.skewnorm.logpdf)
def skewnorm_logpdf(x: Any, a: Any, loc: Any = 0, scale: Any = 1) -> tuple[Any, ...]:
    z = (x - loc) / scale
    hazard = np.exp(stats.norm.logpdf(a * z) - special.log_ndtr(a * z))
    by_z = a * hazard - z
    return by_z / scale, z * hazard, -by_z / scale, -(1 + z * by_z) / scale


@table.partials(stats.skewnorm.pdf)
def skewnorm_pdf(x: Any, a: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    z = (x - loc) / scale
    hazard = np.exp(stats.norm.logpdf(a * z) - special.log_ndtr(a * z))
    by_z = a * hazard - z
    return (
        out * by_z / scale,
        out * (z * hazard),
        -out * by_z / scale,
        -out * (1 + z * by_z) / scale,
    )


@table.partials(stats.skewnorm.cdf)
def skewnorm_cdf(x: Any, a: Any, loc: Any = 0, scale: Any = 1) -> tuple[Any, ...]:
    density = stats.skewnorm.pdf(x, a, loc, scale)
    z = (x - loc) / scale
    return (
        density,
        lambda: -np.exp(-z * z * (1 + a * a) / 2) / (math.pi * (1 + a * a)),
        -density,
        -density * z,
    )


@table.partials(stats.skewnorm.sf)
def skewnorm_sf(x: Any, a: Any, loc: Any = 0, scale: Any = 1) -> tuple[Any, ...]:
    density = stats.skewnorm.pdf(x, a, loc, scale)
    z = (x - loc) / scale
    return (
        -density,
        lambda: np.exp(-z * z * (1 + a * a) / 2) / (math.pi * (1 + a * a)),
        density,
        density * z,
    )


@table.partials(stats.skewnorm.logcdf)
def skewnorm_logcdf(x: Any, a: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    density = np.exp(stats.skewnorm.logpdf(x, a, loc, scale) - out)
    z = (x - loc) / scale
    return (
        density,
        lambda: -np.exp(-z * z * (1 + a * a) / 2) / (math.pi * (1 + a * a)) * np.exp(-out),
        -density,
        -density * z,
    )


@table.partials(stats.skewnorm.logsf)
def skewnorm_logsf(x: Any, a: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    density = np.exp(stats.skewnorm.logpdf(x, a, loc, scale) - out)
    z = (x - loc) / scale
    return (
        -density,
        lambda: np.exp(-z * z * (1 + a * a) / 2) / (math.pi * (1 + a * a)) * np.exp(-out),
        density,
        density * z,
    )


@table.partials(stats.skewnorm.ppf)
def skewnorm_ppf(q: Any, a: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    z = (out - loc) / scale
    return (
        1 / stats.skewnorm.pdf(out, a, loc, scale),
        lambda: (
            np.exp(-z * z * (1 + a * a) / 2)
            / (math.pi * (1 + a * a))
            / stats.skewnorm.pdf(out, a, loc, scale)
        ),
        1,
        z,
    )


@table.partials(stats.skewnorm.isf)
def skewnorm_isf(q: Any, a: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    z = (out - loc) / scale
    return (
        -1 / stats.skewnorm.pdf(out, a, loc, scale),
        lambda: (
            np.exp(-z * z * (1 + a * a) / 2)
            / (math.pi * (1 + a * a))
            / stats.skewnorm.pdf(out, a, loc, scale)
        ),
        1,
        z,
    )


RULES = table.freeze()
