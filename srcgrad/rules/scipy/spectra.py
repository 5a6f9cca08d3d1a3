"""Spectra of signals in ``scipy.signal``, written out with transforms of segments."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import signal

from srcgrad.rules.equivalents.registry import EquivalentTable, written_out
from srcgrad.runtime.scipy.spectra import (
    analytic_weights,
    both_sides,
    frequencies,
    median_bias,
    of_one_length,
    own_frequencies,
    power_scale,
    resampling_weights,
    segments,
)

table = EquivalentTable()


@written_out
def transforms(x: Any, plan: Any, detrend: Any) -> Any:
    """Return the transforms of the segments of a signal along its last axis."""
    window, step, size, onesided = plan
    starts = np.arange(0, np.shape(x)[-1] - len(window) + 1, step)
    parts = x[..., starts[:, None] + np.arange(len(window))]
    if detrend:
        parts = signal.detrend(parts, -1, detrend)
    parts = parts * window
    return np.fft.rfft(parts, size) if onesided else np.fft.fft(parts, size)


@written_out
def averaged(spectra: Any, average: str) -> Any:
    """Return the mean or the median over segments, which are the axis before the last."""
    if average == "mean":
        return np.mean(spectra, axis=-2)
    bias = median_bias(np.shape(spectra)[-2])
    if np.iscomplexobj(spectra):
        middle = np.median(np.real(spectra), axis=-2) + 1j * np.median(np.imag(spectra), axis=-2)
        return middle / bias
    return np.median(spectra, axis=-2) / bias


@table.of(signal.welch)
def welch(
    x: Any,
    fs: Any = 1.0,
    window: Any = "hann",
    nperseg: Any = None,
    noverlap: Any = None,
    nfft: Any = None,
    detrend: Any = "constant",
    return_onesided: bool = True,
    scaling: str = "density",
    axis: int = -1,
    average: str = "mean",
) -> Any:
    """Return frequencies and the power of a signal at each."""
    cut = window, nperseg, noverlap, nfft
    plan = segments(np.shape(x)[axis], x.dtype, cut, (detrend, return_onesided))
    win, _, size, onesided = plan
    found = transforms(np.moveaxis(x, axis, -1), plan, detrend)
    weights = both_sides(win, size, onesided) * power_scale(win, fs, scaling)
    power = averaged((np.real(found) ** 2 + np.imag(found) ** 2) * weights, average)
    return frequencies(size, fs, onesided), np.moveaxis(power, -1, axis)


@table.of(signal.periodogram)
def periodogram(
    x: Any,
    fs: Any = 1.0,
    window: Any = "boxcar",
    nfft: Any = None,
    detrend: Any = "constant",
    return_onesided: bool = True,
    scaling: str = "density",
    axis: int = -1,
) -> Any:
    """Return frequencies and the power of a whole signal at each."""
    rows = np.moveaxis(x, axis, -1)[..., :nfft]
    cut = "boxcar" if window is None else window, np.shape(rows)[-1], 0, nfft
    plan = segments(np.shape(rows)[-1], x.dtype, cut, (detrend, return_onesided))
    win, _, size, onesided = plan
    found = transforms(rows, plan, detrend)[..., 0, :]
    weights = both_sides(win, size, onesided) * power_scale(win, fs, scaling)
    power = (np.real(found) ** 2 + np.imag(found) ** 2) * weights
    return frequencies(size, fs, onesided), np.moveaxis(power, -1, axis)


@written_out
def lengthened(x: Any, length: int) -> Any:
    """Return a signal with zeros behind it."""
    behind = np.zeros_like(x, shape=(*np.shape(x)[:-1], length - np.shape(x)[-1]))
    return np.concatenate([x, behind], axis=-1)


@table.of(signal.csd)
def csd(
    x: Any,
    y: Any,
    fs: Any = 1.0,
    window: Any = "hann",
    nperseg: Any = None,
    noverlap: Any = None,
    nfft: Any = None,
    detrend: Any = "constant",
    return_onesided: bool = True,
    scaling: str = "density",
    axis: int = -1,
    average: str = "mean",
) -> Any:
    """Return frequencies and what two signals share at each."""
    cut = window, nperseg, noverlap, nfft
    kind = np.result_type(x, y)
    rows, others = np.moveaxis(x, axis, -1), np.moveaxis(y, axis, -1)
    length = max(np.shape(rows)[-1], np.shape(others)[-1])
    plan = segments(length, kind, cut, (detrend, return_onesided))
    win, _, size, onesided = plan
    first = transforms(lengthened(rows, length), plan, detrend)
    second = transforms(lengthened(others, length), plan, detrend)
    weights = both_sides(win, size, onesided) * power_scale(win, fs, scaling)
    shared = averaged(np.conj(first) * second * weights, average)
    return frequencies(size, fs, onesided), np.moveaxis(shared, -1, axis)


@table.of(signal.coherence)
def coherence(
    x: Any,
    y: Any,
    fs: Any = 1.0,
    window: Any = "hann",
    nperseg: Any = None,
    noverlap: Any = None,
    nfft: Any = None,
    detrend: Any = "constant",
    axis: int = -1,
) -> Any:
    """Return frequencies and the share of two signals that is the same at each."""
    cut = window, nperseg, noverlap, nfft
    of_one_length("coherence", np.shape(x)[axis], np.shape(y)[axis])
    plan = segments(np.shape(x)[axis], np.result_type(x, y), cut, (detrend, True))
    _, _, size, onesided = plan
    first = transforms(np.moveaxis(x, axis, -1), plan, detrend)
    second = transforms(np.moveaxis(y, axis, -1), plan, detrend)
    shared = np.mean(np.conj(first) * second, axis=-2)
    x_power = np.mean(np.real(first) ** 2 + np.imag(first) ** 2, axis=-2)
    y_power = np.mean(np.real(second) ** 2 + np.imag(second) ** 2, axis=-2)
    share = (np.real(shared) ** 2 + np.imag(shared) ** 2) / x_power / y_power
    return frequencies(size, fs, onesided), np.moveaxis(share, -1, axis)


@table.of(signal.spectrogram)
def spectrogram(
    x: Any,
    fs: Any = 1.0,
    window: Any = ("tukey", 0.25),
    nperseg: Any = None,
    noverlap: Any = None,
    nfft: Any = None,
    detrend: Any = "constant",
    return_onesided: bool = True,
    scaling: str = "density",
    *,
    mode: str = "psd",
) -> Any:
    """Return frequencies, times, and the power of each segment, or its transform."""
    options = detrend, return_onesided
    whole = segments(np.shape(x)[-1], x.dtype, (window, nperseg, 0, nfft), options)
    win, length, size, onesided = whole
    step = length - (length // 8 if noverlap is None else noverlap)
    found = np.swapaxes(transforms(x, (win, step, size, onesided), detrend), -1, -2)
    times = (np.arange(np.shape(found)[-1]) * step + length / 2) / fs
    scale = power_scale(win, fs, scaling)
    if mode == "psd":
        weights = both_sides(win, size, onesided)[:, None] * scale
        shown = (np.real(found) ** 2 + np.imag(found) ** 2) * weights
    elif mode == "magnitude":
        shown = np.abs(found * np.sqrt(scale))
    elif mode == "complex":
        shown = found * np.sqrt(scale)
    else:
        shown = np.angle(found)
        shown = np.unwrap(shown, axis=-2) if mode == "phase" else shown
    return frequencies(size, fs, onesided), times, shown


@table.of(signal.stft)
def stft(
    x: Any,
    fs: Any = 1.0,
    window: Any = "hann",
    nperseg: Any = 256,
    noverlap: Any = None,
    nfft: Any = None,
    detrend: Any = False,
    return_onesided: bool = True,
    *,
    padded: bool = True,
    scaling: str = "spectrum",
) -> Any:
    """Return frequencies, times, and the transforms of segments of a signal with zeros around."""
    length = np.shape(x)[-1]
    cut = window, nperseg, noverlap, nfft
    plan = segments(length, x.dtype, cut, (detrend, return_onesided))
    win, step, size, onesided = plan
    half = len(win) // 2
    edge = np.zeros_like(x, shape=(*np.shape(x)[:-1], half))
    rest = -(length + 2 * half - len(win)) % step % len(win) if padded else 0
    end = np.zeros_like(x, shape=(*np.shape(x)[:-1], half + rest))
    found = transforms(np.concatenate([edge, x, end], axis=-1), plan, detrend)
    scale = np.sqrt(power_scale(win, fs, scaling))
    times = np.arange(np.shape(found)[-2]) * step / fs
    return frequencies(size, fs, onesided), times, np.swapaxes(found, -1, -2) * scale


@table.of(signal.istft)
def istft(
    Zxx: Any,
    fs: Any = 1.0,
    window: Any = "hann",
    nperseg: Any = None,
    noverlap: Any = None,
    *,
    input_onesided: bool = True,
    boundary: Any = True,
    scaling: str = "spectrum",
) -> Any:
    """Return times and the signal with given transforms of its segments."""
    usual = 2 * (np.shape(Zxx)[-2] - 1) if input_onesided else np.shape(Zxx)[-2]
    length = usual if nperseg is None else nperseg
    transform = length if length == usual + 1 and input_onesided else usual
    cut = window, length, noverlap, transform
    win, step, _, _ = segments(length, np.real(Zxx).dtype, cut, (False, True))
    columns = np.swapaxes(Zxx, -1, -2)
    inverse: Any = np.fft.irfft if input_onesided else np.fft.ifft
    parts = inverse(columns, transform)
    parts = parts[..., :length] * win / np.sqrt(power_scale(win, fs, scaling))
    places = np.arange(np.shape(parts)[-2])[:, None] * step + np.arange(length)
    sums = np.zeros_like(parts, shape=(*np.shape(parts)[:-2], places[-1, -1] + 1))
    for i in range(len(places)):
        sums[..., i * step : i * step + length] += parts[..., i, :]
    shares = np.bincount(np.ravel(places), np.tile(win**2, len(places)))
    x = sums / np.where(shares > 1e-10, shares, 1).astype(win.dtype)
    if boundary:
        x = x[..., length // 2 : places[-1, -1] + 1 - length // 2]
    return np.arange(np.shape(x)[-1]) / fs, x


@table.of(signal.hilbert)
def hilbert(x: Any, N: Any = None, axis: int = -1) -> Any:
    """Return the analytic signal of a real one."""
    found = np.moveaxis(np.fft.fft(x, N, axis), axis, -1)
    weights = analytic_weights(np.shape(found)[-1], x.dtype)
    return np.moveaxis(np.fft.ifft(found * weights), -1, axis)


@table.of(signal.resample)
def resample(x: Any, num: int, *, axis: int = 0, window: Any = None) -> Any:
    """Return a signal at another rate, by its transform."""
    rows = np.moveaxis(x, axis, -1)
    weights = resampling_weights(np.shape(rows)[-1], num, window, np.real(x).dtype)
    found = np.fft.irfft(np.fft.rfft(np.real(rows))[..., : len(weights)] * weights, num)
    if np.iscomplexobj(x):
        turned = np.fft.rfft(np.imag(rows))[..., : len(weights)] * weights
        found = found + 1j * np.fft.irfft(turned, num)
    return np.moveaxis(found, -1, axis)


@table.of(signal.freqz)
def freqz(
    b: Any,
    a: Any = 1,
    worN: Any = 512,
    whole: bool = False,
    *,
    fs: float = 2 * np.pi,
    include_nyquist: bool = False,
) -> Any:
    """Return frequencies and the response of a digital filter to each."""
    w, _ = signal.freqz(1.0, 1, worN, whole, fs=fs, include_nyquist=include_nyquist)
    back = np.exp(-2j * np.pi * w / fs)
    above = np.polyval(np.flip(np.atleast_1d(b)), back)
    return w, above / np.polyval(np.flip(np.atleast_1d(a)), back)


@table.of(signal.freqs)
def freqs(b: Any, a: Any, worN: Any) -> Any:
    """Return frequencies and the response of an analog filter to each."""
    w = own_frequencies(worN)
    return w, np.polyval(np.atleast_1d(b), 1j * w) / np.polyval(np.atleast_1d(a), 1j * w)


EQUIVALENTS = table.freeze()
