"""Rules of the beta distribution, of powers and of ratios."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special, stats

from srcgrad.rules.registry import RuleTable
from srcgrad.runtime.scipy.parameters import betainc_slope, f_slope_1, f_slope_2

table = RuleTable("other_distributions", real=True)


@table.partials(stats.beta.logpdf)
def beta_logpdf(x: Any, a: Any, b: Any, loc: Any = 0, scale: Any = 1) -> tuple[Any, ...]:
    z = (x - loc) / scale
    both = special.digamma(a + b)
    by_z = (a - 1) / z - (b - 1) / (1 - z)
    return (
        by_z / scale,
        np.log(z) - special.digamma(a) + both,
        np.log1p(-z) - special.digamma(b) + both,
        -by_z / scale,
        -(1 + z * by_z) / scale,
    )


@table.partials(stats.beta.pdf)
def beta_pdf(x: Any, a: Any, b: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    z = (x - loc) / scale
    both = special.digamma(a + b)
    by_z = (a - 1) / z - (b - 1) / (1 - z)
    return (
        out * by_z / scale,
        out * (np.log(z) - special.digamma(a) + both),
        out * (np.log1p(-z) - special.digamma(b) + both),
        -out * by_z / scale,
        -out * (1 + z * by_z) / scale,
    )


@table.partials(stats.beta.cdf)
def beta_cdf(x: Any, a: Any, b: Any, loc: Any = 0, scale: Any = 1) -> tuple[Any, ...]:
    density = stats.beta.pdf(x, a, b, loc, scale)
    z = (x - loc) / scale
    return (
        density,
        lambda: betainc_slope(a, b, np.clip(z, 0, 1)),
        lambda: -betainc_slope(b, a, np.clip(1 - z, 0, 1)),
        -density,
        -density * z,
    )


@table.partials(stats.beta.sf)
def beta_sf(x: Any, a: Any, b: Any, loc: Any = 0, scale: Any = 1) -> tuple[Any, ...]:
    density = stats.beta.pdf(x, a, b, loc, scale)
    z = (x - loc) / scale
    return (
        -density,
        lambda: -betainc_slope(a, b, np.clip(z, 0, 1)),
        lambda: betainc_slope(b, a, np.clip(1 - z, 0, 1)),
        density,
        density * z,
    )


@table.partials(stats.beta.logcdf)
def beta_logcdf(
    x: Any,
    a: Any,
    b: Any,
    loc: Any = 0,
    scale: Any = 1,
    *,
    out: Any,
) -> tuple[Any, ...]:
    density = np.exp(stats.beta.logpdf(x, a, b, loc, scale) - out)
    z = (x - loc) / scale
    return (
        density,
        lambda: betainc_slope(a, b, np.clip(z, 0, 1)) * np.exp(-out),
        lambda: -betainc_slope(b, a, np.clip(1 - z, 0, 1)) * np.exp(-out),
        -density,
        -density * z,
    )


@table.partials(stats.beta.logsf)
def beta_logsf(
    x: Any,
    a: Any,
    b: Any,
    loc: Any = 0,
    scale: Any = 1,
    *,
    out: Any,
) -> tuple[Any, ...]:
    density = np.exp(stats.beta.logpdf(x, a, b, loc, scale) - out)
    z = (x - loc) / scale
    return (
        -density,
        lambda: -betainc_slope(a, b, np.clip(z, 0, 1)) * np.exp(-out),
        lambda: betainc_slope(b, a, np.clip(1 - z, 0, 1)) * np.exp(-out),
        density,
        density * z,
    )


@table.partials(stats.beta.ppf)
def beta_ppf(q: Any, a: Any, b: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    z = (out - loc) / scale
    return (
        1 / stats.beta.pdf(out, a, b, loc, scale),
        lambda: -betainc_slope(a, b, np.clip(z, 0, 1)) / stats.beta.pdf(out, a, b, loc, scale),
        lambda: betainc_slope(b, a, np.clip(1 - z, 0, 1)) / stats.beta.pdf(out, a, b, loc, scale),
        1,
        z,
    )


@table.partials(stats.beta.isf)
def beta_isf(q: Any, a: Any, b: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    z = (out - loc) / scale
    return (
        -1 / stats.beta.pdf(out, a, b, loc, scale),
        lambda: -betainc_slope(a, b, np.clip(z, 0, 1)) / stats.beta.pdf(out, a, b, loc, scale),
        lambda: betainc_slope(b, a, np.clip(1 - z, 0, 1)) / stats.beta.pdf(out, a, b, loc, scale),
        1,
        z,
    )


@table.partials(stats.f.logpdf)
def f_logpdf(x: Any, dfn: Any, dfd: Any, loc: Any = 0, scale: Any = 1) -> tuple[Any, ...]:
    z = (x - loc) / scale
    total, spread = dfn + dfd, dfd + dfn * z
    both = special.digamma(total / 2)
    by_z = (dfn / 2 - 1) / z - total * dfn / (2 * spread)
    return (
        by_z / scale,
        (np.log(dfn * z / spread) + 1 - total * z / spread - special.digamma(dfn / 2) + both) / 2,
        (np.log(dfd / spread) + 1 - total / spread - special.digamma(dfd / 2) + both) / 2,
        -by_z / scale,
        -(1 + z * by_z) / scale,
    )


@table.partials(stats.f.pdf)
def f_pdf(
    x: Any,
    dfn: Any,
    dfd: Any,
    loc: Any = 0,
    scale: Any = 1,
    *,
    out: Any,
) -> tuple[Any, ...]:
    z = (x - loc) / scale
    total, spread = dfn + dfd, dfd + dfn * z
    both = special.digamma(total / 2)
    by_z = (dfn / 2 - 1) / z - total * dfn / (2 * spread)
    return (
        out * by_z / scale,
        out
        * (
            (np.log(dfn * z / spread) + 1 - total * z / spread - special.digamma(dfn / 2) + both)
            / 2
        ),
        out * ((np.log(dfd / spread) + 1 - total / spread - special.digamma(dfd / 2) + both) / 2),
        -out * by_z / scale,
        -out * (1 + z * by_z) / scale,
    )


@table.partials(stats.f.cdf)
def f_cdf(x: Any, dfn: Any, dfd: Any, loc: Any = 0, scale: Any = 1) -> tuple[Any, ...]:
    density = stats.f.pdf(x, dfn, dfd, loc, scale)
    z = (x - loc) / scale
    return (
        density,
        lambda: f_slope_1(dfn, dfd, np.maximum(z, 0)),
        lambda: f_slope_2(dfn, dfd, np.maximum(z, 0)),
        -density,
        -density * z,
    )


@table.partials(stats.f.sf)
def f_sf(x: Any, dfn: Any, dfd: Any, loc: Any = 0, scale: Any = 1) -> tuple[Any, ...]:
    density = stats.f.pdf(x, dfn, dfd, loc, scale)
    z = (x - loc) / scale
    return (
        -density,
        lambda: -f_slope_1(dfn, dfd, np.maximum(z, 0)),
        lambda: -f_slope_2(dfn, dfd, np.maximum(z, 0)),
        density,
        density * z,
    )


@table.partials(stats.f.logcdf)
def f_logcdf(
    x: Any,
    dfn: Any,
    dfd: Any,
    loc: Any = 0,
    scale: Any = 1,
    *,
    out: Any,
) -> tuple[Any, ...]:
    density = np.exp(stats.f.logpdf(x, dfn, dfd, loc, scale) - out)
    z = (x - loc) / scale
    return (
        density,
        lambda: f_slope_1(dfn, dfd, np.maximum(z, 0)) * np.exp(-out),
        lambda: f_slope_2(dfn, dfd, np.maximum(z, 0)) * np.exp(-out),
        -density,
        -density * z,
    )


@table.partials(stats.f.logsf)
def f_logsf(
    x: Any,
    dfn: Any,
    dfd: Any,
    loc: Any = 0,
    scale: Any = 1,
    *,
    out: Any,
) -> tuple[Any, ...]:
    density = np.exp(stats.f.logpdf(x, dfn, dfd, loc, scale) - out)
    z = (x - loc) / scale
    return (
        -density,
        lambda: -f_slope_1(dfn, dfd, np.maximum(z, 0)) * np.exp(-out),
        lambda: -f_slope_2(dfn, dfd, np.maximum(z, 0)) * np.exp(-out),
        density,
        density * z,
    )


@table.partials(stats.f.ppf)
def f_ppf(
    q: Any,
    dfn: Any,
    dfd: Any,
    loc: Any = 0,
    scale: Any = 1,
    *,
    out: Any,
) -> tuple[Any, ...]:
    z = (out - loc) / scale
    return (
        1 / stats.f.pdf(out, dfn, dfd, loc, scale),
        lambda: -f_slope_1(dfn, dfd, np.maximum(z, 0)) / stats.f.pdf(out, dfn, dfd, loc, scale),
        lambda: -f_slope_2(dfn, dfd, np.maximum(z, 0)) / stats.f.pdf(out, dfn, dfd, loc, scale),
        1,
        z,
    )


@table.partials(stats.f.isf)
def f_isf(
    q: Any,
    dfn: Any,
    dfd: Any,
    loc: Any = 0,
    scale: Any = 1,
    *,
    out: Any,
) -> tuple[Any, ...]:
    z = (out - loc) / scale
    return (
        -1 / stats.f.pdf(out, dfn, dfd, loc, scale),
        lambda: -f_slope_1(dfn, dfd, np.maximum(z, 0)) / stats.f.pdf(out, dfn, dfd, loc, scale),
        lambda: -f_slope_2(dfn, dfd, np.maximum(z, 0)) / stats.f.pdf(out, dfn, dfd, loc, scale),
        1,
        z,
    )


@table.partials(stats.weibull_min.logpdf)
def weibull_min_logpdf(x: Any, c: Any, loc: Any = 0, scale: Any = 1) -> tuple[Any, ...]:
    z = (x - loc) / scale
    by_z = (c - 1) / z - c * z ** (c - 1)
    return by_z / scale, 1 / c + np.log(z) * (1 - z**c), -by_z / scale, -(1 + z * by_z) / scale


@table.partials(stats.weibull_min.pdf)
def weibull_min_pdf(x: Any, c: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    z = (x - loc) / scale
    by_z = (c - 1) / z - c * z ** (c - 1)
    return (
        out * by_z / scale,
        out * (1 / c + np.log(z) * (1 - z**c)),
        -out * by_z / scale,
        -out * (1 + z * by_z) / scale,
    )


@table.partials(stats.weibull_min.cdf)
def weibull_min_cdf(x: Any, c: Any, loc: Any = 0, scale: Any = 1) -> tuple[Any, ...]:
    density = stats.weibull_min.pdf(x, c, loc, scale)
    z = (x - loc) / scale
    return density, density * (x - loc) * np.log(z) / c, -density, -density * z


@table.partials(stats.weibull_min.sf)
def weibull_min_sf(x: Any, c: Any, loc: Any = 0, scale: Any = 1) -> tuple[Any, ...]:
    density = stats.weibull_min.pdf(x, c, loc, scale)
    z = (x - loc) / scale
    return -density, -density * (x - loc) * np.log(z) / c, density, density * z


@table.partials(stats.weibull_min.logcdf)
def weibull_min_logcdf(
    x: Any,
    c: Any,
    loc: Any = 0,
    scale: Any = 1,
    *,
    out: Any,
) -> tuple[Any, ...]:
    density = np.exp(stats.weibull_min.logpdf(x, c, loc, scale) - out)
    z = (x - loc) / scale
    return density, density * (x - loc) * np.log(z) / c, -density, -density * z


@table.partials(stats.weibull_min.logsf)
def weibull_min_logsf(
    x: Any,
    c: Any,
    loc: Any = 0,
    scale: Any = 1,
    *,
    out: Any,
) -> tuple[Any, ...]:
    density = np.exp(stats.weibull_min.logpdf(x, c, loc, scale) - out)
    z = (x - loc) / scale
    return -density, -density * (x - loc) * np.log(z) / c, density, density * z


@table.partials(stats.weibull_min.ppf)
def weibull_min_ppf(q: Any, c: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    z = (out - loc) / scale
    return 1 / stats.weibull_min.pdf(out, c, loc, scale), -(out - loc) * np.log(z) / c, 1, z


@table.partials(stats.weibull_min.isf)
def weibull_min_isf(q: Any, c: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    z = (out - loc) / scale
    return -1 / stats.weibull_min.pdf(out, c, loc, scale), -(out - loc) * np.log(z) / c, 1, z


@table.partials(stats.pareto.logpdf)
def pareto_logpdf(x: Any, b: Any, loc: Any = 0, scale: Any = 1) -> tuple[Any, ...]:
    z = (x - loc) / scale
    by_z = -(b + 1) / z
    return by_z / scale, 1 / b - np.log(z), -by_z / scale, -(1 + z * by_z) / scale


@table.partials(stats.pareto.pdf)
def pareto_pdf(x: Any, b: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    z = (x - loc) / scale
    by_z = -(b + 1) / z
    return (
        out * by_z / scale,
        out * (1 / b - np.log(z)),
        -out * by_z / scale,
        -out * (1 + z * by_z) / scale,
    )


@table.partials(stats.pareto.cdf)
def pareto_cdf(x: Any, b: Any, loc: Any = 0, scale: Any = 1) -> tuple[Any, ...]:
    density = stats.pareto.pdf(x, b, loc, scale)
    z = (x - loc) / scale
    return density, density * (x - loc) * np.log(z) / b, -density, -density * z


@table.partials(stats.pareto.sf)
def pareto_sf(x: Any, b: Any, loc: Any = 0, scale: Any = 1) -> tuple[Any, ...]:
    density = stats.pareto.pdf(x, b, loc, scale)
    z = (x - loc) / scale
    return -density, -density * (x - loc) * np.log(z) / b, density, density * z


@table.partials(stats.pareto.logcdf)
def pareto_logcdf(x: Any, b: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    density = np.exp(stats.pareto.logpdf(x, b, loc, scale) - out)
    z = (x - loc) / scale
    return density, density * (x - loc) * np.log(z) / b, -density, -density * z


@table.partials(stats.pareto.logsf)
def pareto_logsf(x: Any, b: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    density = np.exp(stats.pareto.logpdf(x, b, loc, scale) - out)
    z = (x - loc) / scale
    return -density, -density * (x - loc) * np.log(z) / b, density, density * z


@table.partials(stats.pareto.ppf)
def pareto_ppf(q: Any, b: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    z = (out - loc) / scale
    return 1 / stats.pareto.pdf(out, b, loc, scale), -(out - loc) * np.log(z) / b, 1, z


@table.partials(stats.pareto.isf)
def pareto_isf(q: Any, b: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    z = (out - loc) / scale
    return -1 / stats.pareto.pdf(out, b, loc, scale), -(out - loc) * np.log(z) / b, 1, z


RULES = table.freeze()
