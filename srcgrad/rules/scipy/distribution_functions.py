"""Rules of the distribution functions in ``scipy.special``, where the derivative is a density."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special

from srcgrad.rules.registry import RuleTable
from srcgrad.runtime.scipy.parameters import f_slope_1, f_slope_2, gammainc_slope, stdtr_slope

table = RuleTable("distribution_functions")


@table.partials(special.owens_t)
def owens_t(h: Any, a: Any) -> tuple[Any, ...]:
    by_h = -np.exp(-h * h / 2) * special.erf(a * h / math.sqrt(2)) / (2 * math.sqrt(2 * math.pi))
    return by_h, np.exp(-h * h * (1 + a * a) / 2) / (2 * math.pi * (1 + a * a))


@table.partials(special.stdtr)
def stdtr(df: Any, t: Any) -> tuple[Any, ...]:
    density = (1 + t * t / df) ** (-(df + 1) / 2) / (np.sqrt(df) * special.beta(df / 2, 0.5))
    return lambda: stdtr_slope(df, t), density


@table.partials(special.stdtrit)
def stdtrit(df: Any, p: Any, *, out: Any) -> tuple[Any, ...]:
    spread = (1 + out * out / df) ** ((df + 1) / 2)
    run = spread * np.sqrt(df) * special.beta(df / 2, 0.5)
    return lambda: -stdtr_slope(df, out) * run, run


@table.partials(special.chdtr)
def chdtr(v: Any, x: Any) -> tuple[Any, ...]:
    density = np.exp(special.xlogy(v / 2 - 1, x / 2) - x / 2 - special.gammaln(v / 2)) / 2
    return lambda: gammainc_slope(v / 2, x / 2) / 2, density


@table.partials(special.chdtrc)
def chdtrc(v: Any, x: Any) -> tuple[Any, ...]:
    density = np.exp(special.xlogy(v / 2 - 1, x / 2) - x / 2 - special.gammaln(v / 2)) / 2
    return lambda: -gammainc_slope(v / 2, x / 2) / 2, -density


@table.partials(special.chdtri)
def chdtri(v: Any, p: Any, *, out: Any) -> tuple[Any, ...]:
    log_density = special.xlogy(v / 2 - 1, out / 2) - out / 2 - special.gammaln(v / 2)
    run = 2 * np.exp(-log_density)
    return lambda: -gammainc_slope(v / 2, out / 2) / 2 * run, -run


@table.partials(special.gdtr)
def gdtr(a: Any, b: Any, x: Any) -> tuple[Any, ...]:
    density = np.exp(special.xlogy(b - 1, a * x) - a * x - special.gammaln(b))
    return density * x, lambda: gammainc_slope(b, a * x), density * a


@table.partials(special.gdtrc)
def gdtrc(a: Any, b: Any, x: Any) -> tuple[Any, ...]:
    density = np.exp(special.xlogy(b - 1, a * x) - a * x - special.gammaln(b))
    return -density * x, lambda: -gammainc_slope(b, a * x), -density * a


@table.partials(special.pdtr)
def pdtr(k: Any, m: Any) -> tuple[Any, ...]:
    whole = np.floor(k)
    return None, -np.exp(special.xlogy(whole, m) - m - special.gammaln(whole + 1))


@table.partials(special.pdtrc)
def pdtrc(k: Any, m: Any) -> tuple[Any, ...]:
    whole = np.floor(k)
    return None, np.exp(special.xlogy(whole, m) - m - special.gammaln(whole + 1))


@table.partials(special.bdtr)
def bdtr(k: Any, n: Any, p: Any) -> tuple[Any, ...]:
    whole = np.floor(k)
    inner = special.xlogy(whole, p) + special.xlog1py(n - whole - 1, -p)
    return None, None, -(n - whole) * special.binom(n, whole) * np.exp(inner)


@table.partials(special.bdtrc)
def bdtrc(k: Any, n: Any, p: Any) -> tuple[Any, ...]:
    whole = np.floor(k)
    inner = special.xlogy(whole, p) + special.xlog1py(n - whole - 1, -p)
    return None, None, (n - whole) * special.binom(n, whole) * np.exp(inner)


@table.partials(special.fdtr)
def fdtr(dfn: Any, dfd: Any, x: Any) -> tuple[Any, ...]:
    share = dfn * x / (dfn * x + dfd)
    inner = special.xlogy(dfn / 2, share) + special.xlog1py(dfd / 2, -share)
    density = np.exp(inner - special.betaln(dfn / 2, dfd / 2)) / x
    return lambda: f_slope_1(dfn, dfd, x), lambda: f_slope_2(dfn, dfd, x), density


@table.partials(special.fdtrc)
def fdtrc(dfn: Any, dfd: Any, x: Any) -> tuple[Any, ...]:
    share = dfn * x / (dfn * x + dfd)
    inner = special.xlogy(dfn / 2, share) + special.xlog1py(dfd / 2, -share)
    density = np.exp(inner - special.betaln(dfn / 2, dfd / 2)) / x
    return lambda: -f_slope_1(dfn, dfd, x), lambda: -f_slope_2(dfn, dfd, x), -density


@table.slope(special.kolmogorov)
def kolmogorov(x: Any) -> Any:
    low, w = np.clip(x, 0.04, 1), np.exp(-2 * x * x)  # one series for each side of 1
    u = (math.pi / (2 * low)) ** 2
    q = np.exp(-u / 2)
    small = q * (1 - u) + q**9 * (1 - 9 * u) + q**25 * (1 - 25 * u)
    large = x * w * (1 - 4 * w**3 + 9 * w**8 - 16 * w**15)
    return np.where(x < 1, math.sqrt(2 * math.pi) / (low * low) * small, -8 * large)


RULES = table.freeze()
