"""Filters of signals in ``scipy.signal`` that are written out with others."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg, ndimage, signal
from scipy.signal import convolve, lfilter

from srcgrad.rules.equivalents.registry import EquivalentTable, written_out
from srcgrad.runtime import stop_gradient
from srcgrad.runtime.scipy.spectra import edge_fits, rates

table = EquivalentTable()


@table.of(signal.lfilter, option=("zi", 4))
def lfilter_from(b: Any, a: Any, x: Any, axis: int = -1, zi: Any = None) -> Any:
    """Return a signal through a filter that has a state before, and the state behind."""
    rows, states = np.moveaxis(x, axis, -1), np.moveaxis(zi, axis, -1)
    size, count = np.shape(rows)[-1], np.shape(states)[-1]
    denominator = np.atleast_1d(a)
    behind = np.zeros_like(rows, shape=(*np.shape(rows)[:-1], count))
    late = signal.lfilter(b, denominator, np.concatenate([rows, behind], axis=-1))
    after = np.zeros_like(states, shape=(*np.shape(states)[:-1], size))
    early = np.concatenate([states, after], axis=-1)
    whole = late + signal.lfilter(denominator[:1], denominator, early)
    final = signal.lfilter(denominator, denominator[:1], whole[..., size:])
    return np.moveaxis(whole[..., :size], -1, axis), np.moveaxis(final, -1, axis)


@table.of(signal.sosfilt, option=("zi", 3))
def sosfilt_from(sos: Any, x: Any, axis: int = -1, zi: Any = None) -> Any:
    """Return a signal through sections that have states before, and the states behind."""
    y = x
    states = []
    for i in range(len(sos)):
        y, state = signal.lfilter(sos[i, :3], sos[i, 3:], y, axis, zi=zi[i])
        states.append(state)
    return y, np.stack(states)


@table.of(signal.find_peaks)
def find_peaks(
    x: Any, height: Any = None, *, distance: Any = None, prominence: Any = None, wlen: Any = None
) -> Any:
    """Return the places of peaks, constant between jumps, and what they were asked for."""
    plain = np.copy(np.asarray(stop_gradient(x)))  # of a tensor it would be this function again
    places, properties = signal.find_peaks(
        plain, height, distance=distance, prominence=prominence, wlen=wlen
    )
    if height is None and prominence is None:
        return places, properties
    if prominence is None:
        return places, {"peak_heights": x[places]}
    left, right = properties["left_bases"], properties["right_bases"]
    bases = {"left_bases": left, "right_bases": right}
    rises = x[places] - np.maximum(x[left], x[right])
    if height is None:
        return places, {"prominences": rises, **bases}
    return places, {"peak_heights": x[places], "prominences": rises, **bases}


@table.of(signal.peak_prominences)
def peak_prominences(x: Any, peaks: Any, wlen: Any = None) -> Any:
    """Return how far peaks rise above the higher of the lowest places on both sides of each."""
    plain = np.copy(np.asarray(stop_gradient(x)))
    places = np.copy(np.asarray(stop_gradient(peaks)))
    _, left, right = signal.peak_prominences(plain, places, wlen)
    return x[peaks] - np.maximum(x[left], x[right]), left, right


@table.of(signal.lfilter_zi)
def lfilter_zi(b: Any, a: Any) -> Any:
    """Return the state of a filter to which 1 has been given for long."""
    below = np.atleast_1d(a)
    above, below = np.atleast_1d(b) / below[0], below / below[0]
    count = max(len(above), len(below))
    above = np.concatenate([above, np.zeros_like(above, shape=(count - len(above),))])
    below = np.concatenate([below, np.zeros_like(below, shape=(count - len(below),))])
    rest = np.eye(count - 1) - linalg.companion(below).T
    return np.linalg.solve(rest, above[1:] - below[1:] * above[0])


@table.of(signal.sosfilt_zi)
def sosfilt_zi(sos: Any) -> Any:
    """Return the states of sections of a filter to which 1 has been given for long."""
    states = []
    scale = 1.0
    for section in sos:
        states.append(scale * signal.lfilter_zi(section[:3], section[3:]))
        scale = scale * np.sum(section[:3]) / np.sum(section[3:])
    return np.stack(states)


@written_out
def extended(x: Any, padtype: Any, edge: int) -> Any:
    """Return a signal with more at both ends of its last axis."""
    if padtype is None or edge == 0:
        return x
    first, last = x[..., :1], x[..., -1:]
    before = np.flip(x[..., 1 : edge + 1], -1)
    behind = np.flip(x[..., -edge - 1 : -1], -1)
    if padtype == "odd":
        before, behind = 2 * first - before, 2 * last - behind
    elif padtype == "constant":
        before, behind = first + np.zeros_like(before), last + np.zeros_like(behind)
    return np.concatenate([before, x, behind], axis=-1)


@table.of(signal.filtfilt)
def filtfilt(
    b: Any, a: Any, x: Any, axis: int = -1, padtype: Any = "odd", padlen: Any = None
) -> Any:
    """Return a signal forth and back through a filter."""
    above, below = np.atleast_1d(b), np.atleast_1d(a)
    edge = 3 * max(len(above), len(below)) if padlen is None else padlen
    edge = 0 if padtype is None else edge
    rows = np.moveaxis(x, axis, -1)
    size = np.shape(rows)[-1]
    wide = extended(rows, padtype, edge)
    state = signal.lfilter_zi(above, below)
    forth, _ = signal.lfilter(above, below, wide, -1, zi=state * wide[..., :1])
    back, _ = signal.lfilter(above, below, np.flip(forth, -1), -1, zi=state * forth[..., -1:])
    return np.moveaxis(np.flip(back, -1)[..., edge : edge + size], -1, axis)


@table.of(signal.sosfiltfilt)
def sosfiltfilt(sos: Any, x: Any, axis: int = -1, padtype: Any = "odd", padlen: Any = None) -> Any:
    """Return a signal forth and back through sections of a filter."""
    short = min(np.sum(sos[:, 2] == 0), np.sum(sos[:, 5] == 0))
    edge = 3 * (2 * len(sos) + 1 - short) if padlen is None else padlen
    edge = 0 if padtype is None else edge
    rows = np.moveaxis(x, axis, -1)
    size = np.shape(rows)[-1]
    wide = extended(rows, padtype, edge)
    states = signal.sosfilt_zi(sos)
    forth, back = wide, wide
    for i in range(len(sos)):
        start = states[i] * wide[..., :1]
        forth, _ = signal.lfilter(sos[i, :3], sos[i, 3:], forth, -1, zi=start)
    back = np.flip(forth, -1)
    for i in range(len(sos)):
        start = states[i] * forth[..., -1:]
        back, _ = signal.lfilter(sos[i, :3], sos[i, 3:], back, -1, zi=start)
    return np.moveaxis(np.flip(back, -1)[..., edge : edge + size], -1, axis)


@table.of(signal.savgol_filter)
def savgol_filter(
    x: Any,
    window_length: int,
    polyorder: int,
    deriv: int = 0,
    delta: float = 1.0,
    axis: int = -1,
    mode: str = "interp",
    cval: float = 0.0,
) -> Any:
    """Return a signal smoothed by polynomials."""
    weights = signal.savgol_coeffs(window_length, polyorder, deriv=deriv, delta=delta)
    weights = weights.astype(x.dtype)
    if mode != "interp":
        return ndimage.convolve1d(x, weights, axis, mode=mode, cval=cval)
    rows = np.moveaxis(x, axis, -1)
    size, half = np.shape(rows)[-1], window_length // 2
    fits = edge_fits(window_length, polyorder, deriv, delta, x.dtype)
    middle = ndimage.convolve1d(rows, weights, -1, mode="constant")[..., half : size - half]
    first = rows[..., :window_length] @ fits[:, :half]
    last = rows[..., size - window_length :] @ fits[:, window_length - half :]
    return np.moveaxis(np.concatenate([first, middle, last], axis=-1), -1, axis)


@table.of(signal.resample_poly)
def resample_poly(x: Any, up: int, down: int, axis: int = 0, window: Any = ("kaiser", 5.0)) -> Any:
    """Return a signal at another rate, by a filter."""
    if up == down:
        return np.copy(x)
    rows = np.moveaxis(x, axis, -1)
    taps, faster, slower, first, last = rates(np.shape(rows)[-1], up, down, window, x.dtype)
    found = signal.upfirdn(taps, rows, faster, slower)
    return np.moveaxis(found[..., first:last], -1, axis)


@table.of(signal.decimate)
def decimate(
    x: Any, q: int, n: Any = None, ftype: str = "iir", axis: int = -1, zero_phase: bool = True
) -> Any:
    """Return every so many of the values of a smoothed signal."""
    rows = np.moveaxis(x, axis, -1)
    if ftype == "fir":
        weights = signal.firwin((20 * q if n is None else n) + 1, 1 / q, window="hamming")
        if zero_phase:
            found = signal.resample_poly(rows, 1, q, -1, weights)
        else:
            found = signal.lfilter(weights.astype(x.dtype), 1.0, rows)[..., ::q]
    else:
        sos = signal.cheby1(8 if n is None else n, 0.05, 0.8 / q, output="sos").astype(x.dtype)
        if zero_phase:
            found = signal.sosfiltfilt(sos, rows)[..., ::q]
        else:
            found = signal.sosfilt(sos, rows)[..., ::q]
    return np.moveaxis(found, -1, axis)


@table.of(signal.deconvolve)
def deconvolve(signal: Any, divisor: Any) -> Any:
    """Return the quotient and what is left of two polynomials."""
    count = len(signal) - len(divisor) + 1
    impulse = np.zeros_like(signal, shape=(count,))
    impulse[0] = 1.0
    quotient = lfilter(signal, divisor, impulse)
    return quotient, signal - convolve(divisor, quotient)


@table.of(signal.wiener)
def wiener(im: Any, mysize: int = 3, noise: Any = None) -> Any:
    """Return an image smoothed where it varies no more than its noise."""
    ones = np.ones((mysize,) * np.ndim(im))
    mean = signal.correlate(im, ones, "same") / ones.size
    variance = signal.correlate(im**2, ones, "same") / ones.size - mean**2
    level = np.mean(variance) if noise is None else noise
    changed = (im - mean) * (1 - level / variance) + mean
    return np.where(variance < level, mean, changed)


EQUIVALENTS = table.freeze()
