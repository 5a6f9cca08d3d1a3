"""Rules of distributions on the line, the circle and an interval."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special, stats

from srcgrad.rules.registry import RuleTable
from srcgrad.runtime.scipy.circular import vonmises_curve, vonmises_slope

table = RuleTable("location_distributions", real=True)


@table.partials(stats.uniform.logpdf)
def uniform_logpdf(x: Any, loc: Any = 0, scale: Any = 1) -> tuple[Any, ...]:
    return 0 * x, 0 * x, -1 / scale


@table.partials(stats.uniform.pdf)
def uniform_pdf(x: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    return 0 * x, 0 * x, -out / scale


@table.partials(stats.uniform.cdf)
def uniform_cdf(x: Any, loc: Any = 0, scale: Any = 1) -> tuple[Any, ...]:
    density = stats.uniform.pdf(x, loc, scale)
    z = (x - loc) / scale
    return density, -density, -density * z


@table.partials(stats.uniform.sf)
def uniform_sf(x: Any, loc: Any = 0, scale: Any = 1) -> tuple[Any, ...]:
    density = stats.uniform.pdf(x, loc, scale)
    z = (x - loc) / scale
    return -density, density, density * z


@table.partials(stats.uniform.logcdf)
def uniform_logcdf(x: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    density = np.exp(stats.uniform.logpdf(x, loc, scale) - out)
    z = (x - loc) / scale
    return density, -density, -density * z


@table.partials(stats.uniform.logsf)
def uniform_logsf(x: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    density = np.exp(stats.uniform.logpdf(x, loc, scale) - out)
    z = (x - loc) / scale
    return -density, density, density * z


@table.partials(stats.uniform.ppf)
def uniform_ppf(q: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    z = (out - loc) / scale
    return 1 / stats.uniform.pdf(out, loc, scale), 1, z


@table.partials(stats.uniform.isf)
def uniform_isf(q: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    z = (out - loc) / scale
    return -1 / stats.uniform.pdf(out, loc, scale), 1, z


@table.partials(stats.laplace.logpdf)
def laplace_logpdf(x: Any, loc: Any = 0, scale: Any = 1) -> tuple[Any, ...]:
    z = (x - loc) / scale
    by_z = -np.sign(z)
    return by_z / scale, -by_z / scale, -(1 + z * by_z) / scale


@table.partials(stats.laplace.pdf)
def laplace_pdf(x: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    z = (x - loc) / scale
    by_z = -np.sign(z)
    return out * by_z / scale, -out * by_z / scale, -out * (1 + z * by_z) / scale


@table.partials(stats.laplace.cdf)
def laplace_cdf(x: Any, loc: Any = 0, scale: Any = 1) -> tuple[Any, ...]:
    density = stats.laplace.pdf(x, loc, scale)
    z = (x - loc) / scale
    return density, -density, -density * z


@table.partials(stats.laplace.sf)
def laplace_sf(x: Any, loc: Any = 0, scale: Any = 1) -> tuple[Any, ...]:
    density = stats.laplace.pdf(x, loc, scale)
    z = (x - loc) / scale
    return -density, density, density * z


@table.partials(stats.laplace.logcdf)
def laplace_logcdf(x: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    density = np.exp(stats.laplace.logpdf(x, loc, scale) - out)
    z = (x - loc) / scale
    return density, -density, -density * z


@table.partials(stats.laplace.logsf)
def laplace_logsf(x: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    density = np.exp(stats.laplace.logpdf(x, loc, scale) - out)
    z = (x - loc) / scale
    return -density, density, density * z


@table.partials(stats.laplace.ppf)
def laplace_ppf(q: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    z = (out - loc) / scale
    return 1 / stats.laplace.pdf(out, loc, scale), 1, z


@table.partials(stats.laplace.isf)
def laplace_isf(q: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    z = (out - loc) / scale
    return -1 / stats.laplace.pdf(out, loc, scale), 1, z


@table.partials(stats.logistic.logpdf)
def logistic_logpdf(x: Any, loc: Any = 0, scale: Any = 1) -> tuple[Any, ...]:
    z = (x - loc) / scale
    by_z = -np.tanh(z / 2)
    return by_z / scale, -by_z / scale, -(1 + z * by_z) / scale


@table.partials(stats.logistic.pdf)
def logistic_pdf(x: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    z = (x - loc) / scale
    by_z = -np.tanh(z / 2)
    return out * by_z / scale, -out * by_z / scale, -out * (1 + z * by_z) / scale


@table.partials(stats.logistic.cdf)
def logistic_cdf(x: Any, loc: Any = 0, scale: Any = 1) -> tuple[Any, ...]:
    density = stats.logistic.pdf(x, loc, scale)
    z = (x - loc) / scale
    return density, -density, -density * z


@table.partials(stats.logistic.sf)
def logistic_sf(x: Any, loc: Any = 0, scale: Any = 1) -> tuple[Any, ...]:
    density = stats.logistic.pdf(x, loc, scale)
    z = (x - loc) / scale
    return -density, density, density * z


@table.partials(stats.logistic.logcdf)
def logistic_logcdf(x: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    density = np.exp(stats.logistic.logpdf(x, loc, scale) - out)
    z = (x - loc) / scale
    return density, -density, -density * z


@table.partials(stats.logistic.logsf)
def logistic_logsf(x: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    density = np.exp(stats.logistic.logpdf(x, loc, scale) - out)
    z = (x - loc) / scale
    return -density, density, density * z


@table.partials(stats.logistic.ppf)
def logistic_ppf(q: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    z = (out - loc) / scale
    return 1 / stats.logistic.pdf(out, loc, scale), 1, z


@table.partials(stats.logistic.isf)
def logistic_isf(q: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    z = (out - loc) / scale
    return -1 / stats.logistic.pdf(out, loc, scale), 1, z


@table.partials(stats.cauchy.logpdf)
def cauchy_logpdf(x: Any, loc: Any = 0, scale: Any = 1) -> tuple[Any, ...]:
    z = (x - loc) / scale
    by_z = -2 * z / (1 + z * z)
    return by_z / scale, -by_z / scale, -(1 + z * by_z) / scale


@table.partials(stats.cauchy.pdf)
def cauchy_pdf(x: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    z = (x - loc) / scale
    by_z = -2 * z / (1 + z * z)
    return out * by_z / scale, -out * by_z / scale, -out * (1 + z * by_z) / scale


@table.partials(stats.cauchy.cdf)
def cauchy_cdf(x: Any, loc: Any = 0, scale: Any = 1) -> tuple[Any, ...]:
    density = stats.cauchy.pdf(x, loc, scale)
    z = (x - loc) / scale
    return density, -density, -density * z


@table.partials(stats.cauchy.sf)
def cauchy_sf(x: Any, loc: Any = 0, scale: Any = 1) -> tuple[Any, ...]:
    density = stats.cauchy.pdf(x, loc, scale)
    z = (x - loc) / scale
    return -density, density, density * z


@table.partials(stats.cauchy.logcdf)
def cauchy_logcdf(x: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    density = np.exp(stats.cauchy.logpdf(x, loc, scale) - out)
    z = (x - loc) / scale
    return density, -density, -density * z


@table.partials(stats.cauchy.logsf)
def cauchy_logsf(x: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    density = np.exp(stats.cauchy.logpdf(x, loc, scale) - out)
    z = (x - loc) / scale
    return -density, density, density * z


@table.partials(stats.cauchy.ppf)
def cauchy_ppf(q: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    z = (out - loc) / scale
    return 1 / stats.cauchy.pdf(out, loc, scale), 1, z


@table.partials(stats.cauchy.isf)
def cauchy_isf(q: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    z = (out - loc) / scale
    return -1 / stats.cauchy.pdf(out, loc, scale), 1, z


@table.partials(stats.gumbel_r.logpdf)
def gumbel_r_logpdf(x: Any, loc: Any = 0, scale: Any = 1) -> tuple[Any, ...]:
    z = (x - loc) / scale
    by_z = np.exp(-z) - 1
    return by_z / scale, -by_z / scale, -(1 + z * by_z) / scale


@table.partials(stats.gumbel_r.pdf)
def gumbel_r_pdf(x: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    z = (x - loc) / scale
    by_z = np.exp(-z) - 1
    return out * by_z / scale, -out * by_z / scale, -out * (1 + z * by_z) / scale


@table.partials(stats.gumbel_r.cdf)
def gumbel_r_cdf(x: Any, loc: Any = 0, scale: Any = 1) -> tuple[Any, ...]:
    density = stats.gumbel_r.pdf(x, loc, scale)
    z = (x - loc) / scale
    return density, -density, -density * z


@table.partials(stats.gumbel_r.sf)
def gumbel_r_sf(x: Any, loc: Any = 0, scale: Any = 1) -> tuple[Any, ...]:
    density = stats.gumbel_r.pdf(x, loc, scale)
    z = (x - loc) / scale
    return -density, density, density * z


@table.partials(stats.gumbel_r.logcdf)
def gumbel_r_logcdf(x: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    density = np.exp(stats.gumbel_r.logpdf(x, loc, scale) - out)
    z = (x - loc) / scale
    return density, -density, -density * z


@table.partials(stats.gumbel_r.logsf)
def gumbel_r_logsf(x: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    density = np.exp(stats.gumbel_r.logpdf(x, loc, scale) - out)
    z = (x - loc) / scale
    return -density, density, density * z


@table.partials(stats.gumbel_r.ppf)
def gumbel_r_ppf(q: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    z = (out - loc) / scale
    return 1 / stats.gumbel_r.pdf(out, loc, scale), 1, z


@table.partials(stats.gumbel_r.isf)
def gumbel_r_isf(q: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    z = (out - loc) / scale
    return -1 / stats.gumbel_r.pdf(out, loc, scale), 1, z


@table.partials(stats.gumbel_l.logpdf)
def gumbel_l_logpdf(x: Any, loc: Any = 0, scale: Any = 1) -> tuple[Any, ...]:
    z = (x - loc) / scale
    by_z = 1 - np.exp(z)
    return by_z / scale, -by_z / scale, -(1 + z * by_z) / scale


@table.partials(stats.gumbel_l.pdf)
def gumbel_l_pdf(x: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    z = (x - loc) / scale
    by_z = 1 - np.exp(z)
    return out * by_z / scale, -out * by_z / scale, -out * (1 + z * by_z) / scale


@table.partials(stats.gumbel_l.cdf)
def gumbel_l_cdf(x: Any, loc: Any = 0, scale: Any = 1) -> tuple[Any, ...]:
    density = stats.gumbel_l.pdf(x, loc, scale)
    z = (x - loc) / scale
    return density, -density, -density * z


@table.partials(stats.gumbel_l.sf)
def gumbel_l_sf(x: Any, loc: Any = 0, scale: Any = 1) -> tuple[Any, ...]:
    density = stats.gumbel_l.pdf(x, loc, scale)
    z = (x - loc) / scale
    return -density, density, density * z


@table.partials(stats.gumbel_l.logcdf)
def gumbel_l_logcdf(x: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    density = np.exp(stats.gumbel_l.logpdf(x, loc, scale) - out)
    z = (x - loc) / scale
    return density, -density, -density * z


@table.partials(stats.gumbel_l.logsf)
def gumbel_l_logsf(x: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    density = np.exp(stats.gumbel_l.logpdf(x, loc, scale) - out)
    z = (x - loc) / scale
    return -density, density, density * z


@table.partials(stats.gumbel_l.ppf)
def gumbel_l_ppf(q: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    z = (out - loc) / scale
    return 1 / stats.gumbel_l.pdf(out, loc, scale), 1, z


@table.partials(stats.gumbel_l.isf)
def gumbel_l_isf(q: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    z = (out - loc) / scale
    return -1 / stats.gumbel_l.pdf(out, loc, scale), 1, z


@table.partials(stats.vonmises.logpdf)
def vonmises_logpdf(x: Any, kappa: Any, loc: Any = 0, scale: Any = 1) -> tuple[Any, ...]:
    z = (x - loc) / scale
    by_z = -kappa * np.sin(z)
    return (
        by_z / scale,
        np.cos(z) - special.i1e(kappa) / special.i0e(kappa),
        -by_z / scale,
        -(1 + z * by_z) / scale,
    )


@table.partials(stats.vonmises.pdf)
def vonmises_pdf(x: Any, kappa: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    z = (x - loc) / scale
    by_z = -kappa * np.sin(z)
    return (
        out * by_z / scale,
        out * (np.cos(z) - special.i1e(kappa) / special.i0e(kappa)),
        -out * by_z / scale,
        -out * (1 + z * by_z) / scale,
    )


@table.partials(stats.vonmises.cdf)
def vonmises_cdf(x: Any, kappa: Any, loc: Any = 0, scale: Any = 1) -> tuple[Any, ...]:
    density = stats.vonmises.pdf(x, kappa, loc, scale)
    z = (x - loc) / scale
    return density, lambda: vonmises_slope(kappa, z), -density, -density * z


@table.partials(stats.vonmises.sf)
def vonmises_sf(x: Any, kappa: Any, loc: Any = 0, scale: Any = 1) -> tuple[Any, ...]:
    density = stats.vonmises.pdf(x, kappa, loc, scale)
    z = (x - loc) / scale
    return -density, lambda: -vonmises_slope(kappa, z), density, density * z


@table.partials(stats.vonmises.logcdf)
def vonmises_logcdf(
    x: Any,
    kappa: Any,
    loc: Any = 0,
    scale: Any = 1,
    *,
    out: Any,
) -> tuple[Any, ...]:
    density = np.exp(stats.vonmises.logpdf(x, kappa, loc, scale) - out)
    z = (x - loc) / scale
    return density, lambda: vonmises_slope(kappa, z) * np.exp(-out), -density, -density * z


@table.partials(stats.vonmises.logsf)
def vonmises_logsf(
    x: Any,
    kappa: Any,
    loc: Any = 0,
    scale: Any = 1,
    *,
    out: Any,
) -> tuple[Any, ...]:
    density = np.exp(stats.vonmises.logpdf(x, kappa, loc, scale) - out)
    z = (x - loc) / scale
    return -density, lambda: -vonmises_slope(kappa, z) * np.exp(-out), density, density * z


@table.partials(stats.vonmises.ppf)
def vonmises_ppf(q: Any, kappa: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    z = (out - loc) / scale
    return (
        1 / stats.vonmises.pdf(out, kappa, loc, scale),
        lambda: -vonmises_slope(kappa, z) / stats.vonmises.pdf(out, kappa, loc, scale),
        1,
        z,
    )


@table.partials(stats.vonmises.isf)
def vonmises_isf(q: Any, kappa: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    z = (out - loc) / scale
    return (
        -1 / stats.vonmises.pdf(out, kappa, loc, scale),
        lambda: -vonmises_slope(kappa, z) / stats.vonmises.pdf(out, kappa, loc, scale),
        1,
        z,
    )


@table.partials(vonmises_slope)
def vonmises_slopes(kappa: Any, z: Any) -> tuple[Any, ...]:
    density = stats.vonmises.pdf(z, kappa)
    turn = np.cos(z) - special.i1e(kappa) / special.i0e(kappa)
    return lambda: vonmises_curve(kappa, z), density * turn


@table.partials(vonmises_curve)
def vonmises_curves(kappa: Any, z: Any) -> tuple[Any, ...]:
    density = stats.vonmises.pdf(z, kappa)
    ratio = special.i1e(kappa) / special.i0e(kappa)
    turn = np.cos(z) - ratio
    return None, density * (turn * turn + ratio * ratio + ratio / kappa - 1)


RULES = table.freeze()
for _function in (vonmises_slope, vonmises_curve):
    vars(_function)["__srcgrad_rule__"] = RULES[_function]
