"""Plans of spectra and of filters: windows, steps and weights, which depend on no signal."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import signal

from srcgrad.errors import MissingRuleError

Plan = tuple[Any, int, int, bool]


def segments(length: int, kind: Any, cut: tuple[Any, ...], options: tuple[Any, ...]) -> Plan:
    """Return how a signal of a length and dtype is cut, given what SciPy is given.

    That is what each segment is multiplied with, how far segments are apart, the size of the
    transform, and whether it is that of real numbers.

    >>> segments(10, np.dtype(float), ("boxcar", 4, None, None), ("constant", True))
    (array([1., 1., 1., 1.]), 2, 4, True)
    """
    window, given, overlap, size = cut
    detrend, onesided = options
    if callable(detrend):
        raise MissingRuleError(
            "spectra with a function for `detrend` have no derivative rule",
            hint="give 'constant', 'linear' or False",
        )
    if isinstance(window, (str, tuple)):
        count = min(256 if given is None else int(given), length)
        values = signal.get_window(window, count)
    else:
        values = np.asarray(window)
        count = len(values)
    real = np.finfo(kind).dtype if kind.kind in "fc" else np.dtype(float)
    step = count - (count // 2 if overlap is None else int(overlap))
    transform = count if size is None else int(size)
    return values.astype(real), step, transform, onesided and kind.kind != "c"


def of_one_length(name: str, first: int, second: int) -> None:
    """Refuse two signals of different lengths.

    Raises:
        MissingRuleError: They are.
    """
    if first != second:
        raise MissingRuleError(
            f"signal.{name} of signals of different lengths has no derivative rule",
            hint="cut the longer one, or put zeros behind the shorter one",
        )


def power_scale(window: Any, fs: Any, scaling: str) -> Any:
    """Return what squares of transforms are multiplied with."""
    scale = 1 / (fs * np.sum(window**2)) if scaling != "spectrum" else 1 / np.sum(window) ** 2
    return np.asarray(scale, window.dtype)[()]


def both_sides(window: Any, size: int, onesided: bool) -> Any:
    """Return how often each frequency counts: those of a real signal twice, but for the ends."""
    counts = np.ones(size // 2 + 1 if onesided else size, window.dtype)
    if onesided:
        counts[1 : len(counts) - (size % 2 == 0)] = 2
    return counts


def frequencies(size: int, fs: Any, onesided: bool) -> Any:
    """Return the frequencies of a transform."""
    return np.fft.rfftfreq(size, 1 / fs) if onesided else np.fft.fftfreq(size, 1 / fs)


def median_bias(count: int) -> float:
    """Return the median of so many squares over their mean.

    >>> round(median_bias(3), 4)
    0.8333
    """
    even = 2 * np.arange(1.0, (count - 1) // 2 + 1)
    return float(1 + np.sum(1 / (even + 1) - 1 / even))


def analytic_weights(count: int, kind: Any) -> Any:
    """Return what the transform of a signal is multiplied with for that of the analytic signal.

    >>> analytic_weights(4, np.dtype(float)), analytic_weights(5, np.dtype("f4")).dtype
    (array([1., 2., 1., 0.]), dtype('float32'))
    """
    weights = np.zeros(count, kind)
    weights[0] = 1
    weights[1 : (count + 1) // 2] = 2
    if count % 2 == 0:
        weights[count // 2] = 1
    return weights


def resampling_weights(count: int, wanted: int, window: Any, kind: Any) -> Any:
    """Return what the transform of a signal is multiplied with for that at another rate."""
    least = min(wanted, count)
    weights = np.full(least // 2 + 1, wanted / count)
    if least % 2 == 0 and wanted != count:
        weights[-1] *= 2 if wanted < count else 0.5
    if window is None:
        return weights.astype(kind)
    if callable(window):
        shares = np.array(window(np.fft.fftfreq(count)))
    elif isinstance(window, (str, tuple)):
        shares = np.fft.fftshift(signal.get_window(window, count))
    else:
        shares = np.array(window)
    half = count // 2 + 1
    folded = shares[:half].copy()
    folded[1:] = (shares[1:half] + shares[:-half:-1]) / 2
    return (weights * folded[: least // 2 + 1]).astype(kind)


def rates(length: int, up: int, down: int, window: Any, kind: Any) -> tuple[Any, ...]:
    """Return the filter of ``signal.resample_poly``, both rates, and which results are wanted."""
    common = math.gcd(int(up), int(down))
    up, down = int(up) // common, int(down) // common
    count = -(-length * up // down)
    fastest = max(up, down)
    if isinstance(window, (list, np.ndarray)):
        taps = np.array(window, dtype=float)
        half = (len(taps) - 1) // 2
    else:
        half = 10 * fastest
        taps = signal.firwin(2 * half + 1, 1 / fastest, window=window)
    before = down - half % down
    first = (half + before) // down
    behind = max((count + first - 1) * down + 1 - ((length - 1) * up + len(taps) + before), 0)
    real = np.finfo(kind).dtype if kind.kind in "fc" else np.dtype(float)
    taps = np.pad(taps * up, (before, behind)).astype(real)
    return taps, up, down, first, first + count


def edge_fits(length: int, order: int, deriv: int, delta: float, kind: Any) -> Any:
    """Return what takes as many values to their polynomial's, or its derivative's, there."""
    units = np.polynomial.polynomial.polyfit(np.arange(length), np.eye(length), order)
    slopes = np.polynomial.polynomial.polyder(units, deriv)
    values = np.polynomial.polynomial.polyval(np.arange(length), slopes)
    return (values / delta**deriv).astype(kind)


def own_frequencies(worN: Any) -> Any:
    """Return given frequencies; those that SciPy would choose depend on the filter."""
    if np.ndim(worN) == 0:
        raise MissingRuleError(
            "frequencies that depend on the filter have no derivative rule",
            hint="give `worN` as an array of frequencies",
        )
    return np.asarray(worN)
