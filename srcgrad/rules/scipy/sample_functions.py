"""Statistics of samples in ``scipy.stats`` that are written out with others."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special, stats

from srcgrad.rules.equivalents.registry import EquivalentTable
from srcgrad.runtime import reduced_size

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
def median_abs_deviation(
    x: Any, axis: Any = 0, *, scale: Any = 1.0, nan_policy: str = "propagate"
) -> Any:
    """Return the median of the distances from the median, in a unit."""
    unit = special.ndtri(0.75) if isinstance(scale, str) else scale
    if nan_policy == "omit":
        far = np.abs(x - np.nanmedian(x, axis=axis, keepdims=True))
        return np.nanmedian(far, axis=axis) / unit
    if nan_policy == "raise" and np.any(np.isnan(x)):
        raise ValueError("The input contains nan values")
    return np.median(np.abs(x - np.median(x, axis=axis, keepdims=True)), axis=axis) / unit


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


@table.of(stats.yeojohnson, option=("lmbda", 1))
def yeojohnson(x: Any, lmbda: Any) -> Any:
    """Return a power of the data that may have both signs."""
    above = special.boxcox1p(np.maximum(x, 0), lmbda)
    below = special.boxcox1p(np.maximum(-x, 0), 2 - lmbda)
    return np.where(x >= 0, above, -below)


@table.of(stats.yeojohnson_llf)
def yeojohnson_llf(lmb: Any, data: Any) -> Any:
    """Return the likelihood of a power of data that may have both signs."""
    spread = np.var(stats.yeojohnson(data, lmb), axis=0)
    sizes = np.sum(np.copysign(np.log1p(np.abs(data)), data), axis=0)
    return (lmb - 1) * sizes - len(data) / 2 * np.log(spread)


@table.of(stats.boxcox, option=("lmbda", 1))
def boxcox(x: Any, lmbda: Any) -> Any:
    """Return a power of the data."""
    return special.boxcox(x, lmbda)


@table.of(stats.moment)
def moment(a: Any, order: Any = 1, axis: Any = 0, *, center: Any = None) -> Any:
    """Return the mean of a power of the distances from the mean, or from a center."""
    middle = np.mean(a, axis=axis, keepdims=True) if center is None else center
    return np.mean((a - middle) ** int(order), axis=axis)


@table.of(stats.skew, option=("bias", 2), values=(False,))
def unbiased_skew(a: Any, axis: Any = 0) -> Any:
    """Return the skewness of the law that a sample is drawn from."""
    count = reduced_size(np.shape(a), axis)
    share = math.sqrt(count * (count - 1)) / (count - 2) if count > 2 else 1.0
    return stats.skew(a, axis) * share


@table.of(stats.kurtosis, option=("bias", 3), values=(False,))
def unbiased_kurtosis(a: Any, axis: Any = 0, fisher: bool = True) -> Any:
    """Return the kurtosis of the law that a sample is drawn from."""
    count = reduced_size(np.shape(a), axis)
    if count <= 3:
        return stats.kurtosis(a, axis, fisher)
    raw = stats.kurtosis(a, axis, False) * (count + 1) - 3 * (count - 1)
    return raw * (count - 1) / ((count - 2) * (count - 3)) + (0 if fisher else 3)


@table.of(stats.tmean)
def tmean(a: Any, *, axis: Any = None) -> Any:
    """Return the mean."""
    return np.mean(a, axis=axis)


@table.of(stats.tvar)
def tvar(a: Any, *, axis: Any = 0, ddof: int = 1) -> Any:
    """Return the variance."""
    return np.var(a, axis=axis, ddof=ddof)


@table.of(stats.tstd)
def tstd(a: Any, *, axis: Any = 0, ddof: int = 1) -> Any:
    """Return the deviation."""
    return np.std(a, axis=axis, ddof=ddof)


@table.of(stats.tsem)
def tsem(a: Any, *, axis: Any = 0, ddof: int = 1) -> Any:
    """Return the standard error of the mean."""
    return stats.sem(a, axis, ddof)


@table.of(stats.tmin)
def tmin(a: Any, *, axis: Any = 0) -> Any:
    """Return the least."""
    return np.min(a, axis=axis)


@table.of(stats.tmax)
def tmax(a: Any, *, axis: Any = 0) -> Any:
    """Return the greatest."""
    return np.max(a, axis=axis)


@table.of(stats.iqr)
def iqr(x: Any, axis: Any = None, rng: Any = (25, 75), keepdims: bool = False) -> Any:
    """Return the distance between two percentiles."""
    low = np.percentile(x, rng[0], axis=axis, keepdims=keepdims)
    return np.percentile(x, rng[1], axis=axis, keepdims=keepdims) - low


@table.of(stats.scoreatpercentile)
def scoreatpercentile(a: Any, per: Any, *, axis: Any = None) -> Any:
    """Return a percentile."""
    return np.percentile(a, per, axis=axis)


@table.of(stats.trimboth)
def trimboth(a: Any, proportiontocut: float, axis: Any = 0) -> Any:
    """Return what is left without the least and the greatest."""
    values = np.ravel(a) if axis is None else np.moveaxis(a, axis, 0)
    count = np.shape(values)[0]
    cut = int(proportiontocut * count)
    kept = np.partition(values, (cut, count - cut - 1), axis=0)[cut : count - cut]
    return kept if axis is None else np.moveaxis(kept, 0, axis)


@table.of(stats.gzscore)
def gzscore(a: Any, *, axis: Any = 0, ddof: int = 0) -> Any:
    """Return how far logarithms are from their mean, in their deviations."""
    return stats.zscore(np.log(a), axis, ddof)


@table.of(stats.differential_entropy, option=("method", 4), values=("vasicek",))
def differential_entropy(
    values: Any, *, window_length: Any = None, base: Any = None, axis: int = 0
) -> Any:
    """Return the entropy of the law that a sample is drawn from, by distances in their order."""
    ordered = np.sort(np.moveaxis(values, axis, -1), axis=-1)
    count = np.shape(ordered)[-1]
    window = math.floor(math.sqrt(count) + 0.5) if window_length is None else window_length
    places = np.arange(count)
    above = ordered[..., np.minimum(places + window, count - 1)]
    gaps = above - ordered[..., np.maximum(places - window, 0)]
    found = np.mean(np.log(count / (2 * window) * gaps), axis=-1)
    return found if base is None else found / np.log(base)


@table.of(stats.wasserstein_distance)
def wasserstein_distance(u_values: Any, v_values: Any) -> Any:
    """Return the area between the distribution functions of two samples."""
    both = np.sort(np.concatenate([u_values, v_values]))
    u_below = np.searchsorted(np.sort(u_values), both[:-1], "right") / len(u_values)
    v_below = np.searchsorted(np.sort(v_values), both[:-1], "right") / len(v_values)
    return np.sum(np.abs(u_below - v_below) * np.diff(both))


@table.of(stats.energy_distance)
def energy_distance(u_values: Any, v_values: Any) -> Any:
    """Return the distance between the distribution functions of two samples."""
    both = np.sort(np.concatenate([u_values, v_values]))
    u_below = np.searchsorted(np.sort(u_values), both[:-1], "right") / len(u_values)
    v_below = np.searchsorted(np.sort(v_values), both[:-1], "right") / len(v_values)
    return np.sqrt(2 * np.sum((u_below - v_below) ** 2 * np.diff(both)))


@table.of(stats.circmean)
def circmean(samples: Any, high: float = 2 * np.pi, low: float = 0, axis: Any = None) -> Any:
    """Return the mean of angles."""
    angles = (samples - low) * 2 * np.pi / (high - low)
    mean = np.arctan2(np.mean(np.sin(angles), axis=axis), np.mean(np.cos(angles), axis=axis))
    return np.where(mean < 0, mean + 2 * np.pi, mean) * (high - low) / (2 * np.pi) + low


@table.of(stats.circvar)
def circvar(samples: Any, high: float = 2 * np.pi, low: float = 0, axis: Any = None) -> Any:
    """Return how little of a length is left to the mean of angles."""
    angles = (samples - low) * 2 * np.pi / (high - low)
    return 1 - np.hypot(np.mean(np.sin(angles), axis=axis), np.mean(np.cos(angles), axis=axis))


@table.of(stats.circstd)
def circstd(samples: Any, high: float = 2 * np.pi, low: float = 0, axis: Any = None) -> Any:
    """Return the deviation of angles."""
    angles = (samples - low) * 2 * np.pi / (high - low)
    length = np.hypot(np.mean(np.sin(angles), axis=axis), np.mean(np.cos(angles), axis=axis))
    return np.sqrt(-2 * np.log(length)) * (high - low) / (2 * np.pi)


EQUIVALENTS = table.freeze()
