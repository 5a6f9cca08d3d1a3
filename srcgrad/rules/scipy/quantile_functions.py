"""Rules of inverse distribution functions in ``scipy.special``, by the implicit function theorem.

If ``F(a, x) = p`` is solved for x, it moves with p by one over the density, and with a by minus the
slope of F in a over the density; if it is solved for a, by one over that slope, and so on.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special, stats

from srcgrad.rules.registry import RuleTable
from srcgrad.runtime.scipy.parameters import (
    betainc_slope,
    f_slope_1,
    f_slope_2,
    gammainc_slope,
    stdtr_slope,
)

table = RuleTable("quantile_functions", real=True)


@table.partials(special.gdtrix)
def gdtrix(a: Any, b: Any, p: Any, *, out: Any) -> tuple[Any, ...]:
    density = a * stats.gamma.pdf(a * out, b)
    return -out / a, lambda: -gammainc_slope(b, a * out) / density, 1 / density


@table.partials(special.gdtria)
def gdtria(p: Any, b: Any, x: Any, *, out: Any) -> tuple[Any, ...]:
    density = x * stats.gamma.pdf(out * x, b)
    return 1 / density, lambda: -gammainc_slope(b, out * x) / density, -out / x


@table.partials(special.gdtrib)
def gdtrib(a: Any, p: Any, x: Any, *, out: Any) -> tuple[Any, ...]:
    slope = gammainc_slope(out, a * x)
    density = stats.gamma.pdf(a * x, out)
    return -x * density / slope, 1 / slope, -a * density / slope


@table.partials(special.btdtria)
def btdtria(p: Any, b: Any, x: Any, *, out: Any) -> tuple[Any, ...]:
    slope = betainc_slope(out, b, x)
    return (
        1 / slope,
        lambda: betainc_slope(b, out, 1 - x) / slope,
        -stats.beta.pdf(x, out, b) / slope,
    )


@table.partials(special.btdtrib)
def btdtrib(a: Any, p: Any, x: Any, *, out: Any) -> tuple[Any, ...]:
    slope = -betainc_slope(out, a, 1 - x)
    return (
        lambda: -betainc_slope(a, out, x) / slope,
        1 / slope,
        -stats.beta.pdf(x, a, out) / slope,
    )


@table.partials(special.chdtriv)
def chdtriv(p: Any, x: Any, *, out: Any) -> tuple[Any, ...]:
    slope = gammainc_slope(out / 2, x / 2) / 2
    return 1 / slope, -stats.chi2.pdf(x, out) / slope


@table.partials(special.stdtridf)
def stdtridf(p: Any, t: Any, *, out: Any) -> tuple[Any, ...]:
    slope = stdtr_slope(out, t)
    return 1 / slope, -stats.t.pdf(t, out) / slope


@table.partials(special.fdtri)
def fdtri(dfn: Any, dfd: Any, p: Any, *, out: Any) -> tuple[Any, ...]:
    density = stats.f.pdf(out, dfn, dfd)
    return (
        lambda: -f_slope_1(dfn, dfd, out) / density,
        lambda: -f_slope_2(dfn, dfd, out) / density,
        1 / density,
    )


# --- of counts, in the parameter that is no count -------------------------------------------------


@table.partials(special.pdtri)
def pdtri(k: Any, y: Any, *, out: Any) -> tuple[Any, ...]:
    whole = np.floor(k)
    return None, -np.exp(out + special.gammaln(whole + 1) - special.xlogy(whole, out))


@table.partials(special.bdtri)
def bdtri(k: Any, n: Any, y: Any, *, out: Any) -> tuple[Any, ...]:
    whole = np.floor(k)
    inner = special.xlogy(whole, out) + special.xlog1py(n - whole - 1, -out)
    return None, None, -np.exp(special.betaln(n - whole, whole + 1) - inner)


@table.partials(special.nbdtr)
def nbdtr(k: Any, n: Any, p: Any) -> tuple[Any, ...]:
    whole = np.floor(k)
    inner = special.xlogy(n - 1, p) + special.xlog1py(whole, -p)
    return None, None, np.exp(inner - special.betaln(n, whole + 1))


@table.partials(special.nbdtrc)
def nbdtrc(k: Any, n: Any, p: Any) -> tuple[Any, ...]:
    whole = np.floor(k)
    inner = special.xlogy(n - 1, p) + special.xlog1py(whole, -p)
    return None, None, -np.exp(inner - special.betaln(n, whole + 1))


@table.partials(special.nbdtri)
def nbdtri(k: Any, n: Any, y: Any, *, out: Any) -> tuple[Any, ...]:
    whole = np.floor(k)
    inner = special.xlogy(n - 1, out) + special.xlog1py(whole, -out)
    return None, None, np.exp(special.betaln(n, whole + 1) - inner)


# --- not central: a mixture by Poisson's law (Johnson, Kotz and Balakrishnan 1995, chapter 29) ----


@table.partials(special.chndtr)
def chndtr(x: Any, df: Any, nc: Any) -> tuple[Any, ...]:
    return stats.ncx2.pdf(x, df, nc), None, -stats.ncx2.pdf(x, df + 2, nc)


@table.partials(special.chndtrix)
def chndtrix(p: Any, df: Any, nc: Any, *, out: Any) -> tuple[Any, ...]:
    density = stats.ncx2.pdf(out, df, nc)
    return 1 / density, None, stats.ncx2.pdf(out, df + 2, nc) / density


RULES = table.freeze()
