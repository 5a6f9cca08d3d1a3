"""Rules of Student's distribution."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special, stats

from srcgrad.rules.registry import RuleTable
from srcgrad.runtime.scipy.parameters import stdtr_slope

table = RuleTable("student_distribution", real=True)


@table.partials(stats.t.logpdf)
def t_logpdf(x: Any, df: Any, loc: Any = 0, scale: Any = 1) -> tuple[Any, ...]:
    z = (x - loc) / scale
    by_z = -(df + 1) * z / (df + z * z)
    return (
        by_z / scale,
        (
            special.digamma((df + 1) / 2)
            - special.digamma(df / 2)
            - 1 / df
            - np.log1p(z * z / df)
            + (df + 1) * z * z / (df * (df + z * z))
        )
        / 2,
        -by_z / scale,
        -(1 + z * by_z) / scale,
    )


@table.partials(stats.t.pdf)
def t_pdf(x: Any, df: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    z = (x - loc) / scale
    by_z = -(df + 1) * z / (df + z * z)
    return (
        out * by_z / scale,
        out
        * (
            (
                special.digamma((df + 1) / 2)
                - special.digamma(df / 2)
                - 1 / df
                - np.log1p(z * z / df)
                + (df + 1) * z * z / (df * (df + z * z))
            )
            / 2
        ),
        -out * by_z / scale,
        -out * (1 + z * by_z) / scale,
    )


@table.partials(stats.t.cdf)
def t_cdf(x: Any, df: Any, loc: Any = 0, scale: Any = 1) -> tuple[Any, ...]:
    density = stats.t.pdf(x, df, loc, scale)
    z = (x - loc) / scale
    return density, lambda: stdtr_slope(df, z), -density, -density * z


@table.partials(stats.t.sf)
def t_sf(x: Any, df: Any, loc: Any = 0, scale: Any = 1) -> tuple[Any, ...]:
    density = stats.t.pdf(x, df, loc, scale)
    z = (x - loc) / scale
    return -density, lambda: -stdtr_slope(df, z), density, density * z


@table.partials(stats.t.logcdf)
def t_logcdf(x: Any, df: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    density = np.exp(stats.t.logpdf(x, df, loc, scale) - out)
    z = (x - loc) / scale
    return density, lambda: stdtr_slope(df, z) * np.exp(-out), -density, -density * z


@table.partials(stats.t.logsf)
def t_logsf(x: Any, df: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    density = np.exp(stats.t.logpdf(x, df, loc, scale) - out)
    z = (x - loc) / scale
    return -density, lambda: -stdtr_slope(df, z) * np.exp(-out), density, density * z


@table.partials(stats.t.ppf)
def t_ppf(q: Any, df: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    z = (out - loc) / scale
    return (
        1 / stats.t.pdf(out, df, loc, scale),
        lambda: -stdtr_slope(df, z) / stats.t.pdf(out, df, loc, scale),
        1,
        z,
    )


@table.partials(stats.t.isf)
def t_isf(q: Any, df: Any, loc: Any = 0, scale: Any = 1, *, out: Any) -> tuple[Any, ...]:
    z = (out - loc) / scale
    return (
        -1 / stats.t.pdf(out, df, loc, scale),
        lambda: -stdtr_slope(df, z) / stats.t.pdf(out, df, loc, scale),
        1,
        z,
    )


RULES = table.freeze()
