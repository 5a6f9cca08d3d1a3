"""Statistics of samples in ``scipy.stats`` that are written out with others."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special, stats

from srcgrad.rules.equivalents.registry import EquivalentTable

table = EquivalentTable()


@table.of(stats.zmap)
def zmap(scores: Any, compare: Any, axis: Any = 0, ddof: int = 0) -> Any:
    """Return how far scores are from the mean of others, in their deviations."""
    center = np.mean(compare, axis=axis, keepdims=True)
    return (scores - center) / np.std(compare, axis=axis, ddof=ddof, keepdims=True)


@table.of(stats.gstd)
def gstd(a: Any, axis: Any = 0, ddof: int = 1) -> Any:
    """Return the geometric deviation."""
    return np.exp(np.std(np.log(a), axis=axis, ddof=ddof))


@table.of(stats.variation)
def variation(a: Any, axis: Any = 0, *, ddof: int = 0) -> Any:
    """Return the deviation in parts of the mean."""
    return np.std(a, axis=axis, ddof=ddof) / np.mean(a, axis=axis)


@table.of(stats.pmean)
def pmean(a: Any, p: Any, *, axis: Any = 0) -> Any:
    """Return the mean of powers, brought back."""
    return np.mean(a**p, axis=axis) ** (1 / p)


@table.of(stats.median_abs_deviation)
def median_abs_deviation(x: Any, axis: Any = 0) -> Any:
    """Return the median of the distances from the median."""
    return np.median(np.abs(x - np.median(x, axis=axis, keepdims=True)), axis=axis)


@table.of(stats.trim_mean)
def trim_mean(a: Any, proportiontocut: float, axis: int = 0) -> Any:
    """Return the mean without the least and the greatest."""
    count = np.shape(a)[axis]
    cut = int(proportiontocut * count)
    lines = np.moveaxis(np.sort(a, axis=axis), axis, 0)
    return np.mean(lines[cut : count - cut], axis=0)


@table.of(stats.boxcox_llf)
def boxcox_llf(lmb: Any, data: Any) -> Any:
    """Return the likelihood of a power of the data."""
    spread = np.var(special.boxcox(data, lmb), axis=0)
    return (lmb - 1) * np.sum(np.log(data), axis=0) - len(data) / 2 * np.log(spread)


EQUIVALENTS = table.freeze()
