"""Calculates adjoints of maps that are linear along one axis, and of filters of signals."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import signal

from srcgrad.runtime import conj


def along_back(grad: Any, axis: int, matrix: Any) -> Any:
    """Return the adjoint of a map along an axis, given what it makes of each unit vector."""
    moved = np.moveaxis(grad, axis, -1)
    turned = moved @ conj(matrix).astype(_kind(grad, matrix)).T
    return np.moveaxis(turned, -1, axis)


def _kind(grad: Any, matrix: Any) -> Any:
    """Return the dtype of a matrix beside a gradient, in the precision of the gradient."""
    single = dtype_of(grad).itemsize <= (8 if np.iscomplexobj(grad) else 4)
    if np.iscomplexobj(matrix):
        return np.complex64 if single else np.complex128
    return np.float32 if single else np.float64


def dtype_of(grad: Any) -> Any:
    """Return the dtype of a gradient, which may be a tensor."""
    return grad.dtype if hasattr(grad, "dtype") else np.asarray(grad).dtype


# --- convolution ----------------------------------------------------------------------------------


def _whole(grad: Any, first: Any, second: Any, mode: str, late: int = 0) -> Any:
    """Return the gradient of all of a convolution, of which a mode shows a part.

    The part is in the middle; `late` is 1 if it begins after half a step rather than before.
    """
    if mode == "full":
        return grad
    sizes = [a + b - 1 for a, b in zip(first, second, strict=True)]
    before = [(n - part + late) // 2 for n, part in zip(sizes, np.shape(grad), strict=True)]
    shown = zip(sizes, np.shape(grad), before, strict=True)
    return np.pad(grad, [(start, n - part - start) for n, part, start in shown])


def convolve_back(grad: Any, in1: Any, in2: Any, mode: str, late: int = 0) -> tuple[Any, Any]:
    """Return the gradients of both arguments of a convolution over all axes."""
    if np.ndim(in1) == 0:
        return grad * conj(in2), grad * conj(in1)
    whole = _whole(grad, np.shape(in1), np.shape(in2), mode, late)
    grad_1 = signal.convolve(whole, conj(np.flip(in2)), "valid")
    grad_2 = signal.convolve(whole, conj(np.flip(in1)), "valid")
    return grad_1, grad_2


def correlate_back(grad: Any, in1: Any, in2: Any, mode: str, late: int = 0) -> tuple[Any, Any]:
    """Return the gradients of both arguments of a correlation over all axes."""
    grad_1, grad_2 = convolve_back(grad, in1, conj(np.flip(in2)), mode, late)
    return grad_1, conj(np.flip(grad_2))


# --- recursive filters ----------------------------------------------------------------------------


def lfilter_back(grad: Any, values: tuple[Any, Any, Any, Any], axis: int) -> tuple[Any, Any, Any]:
    """Return the gradients of b, a and x of ``y = signal.lfilter(b, a, x, axis)``."""
    b, a, x, y = values
    if isinstance(b, (list, tuple)):
        b = np.stack(b)
    if isinstance(a, (list, tuple)):
        a = np.stack(a)
    one = np.ones_like(b, shape=(1,))
    back = signal.lfilter(conj(b), conj(a), np.flip(grad, axis), axis)
    grad_b = _lags(grad, signal.lfilter(one, a, x, axis), np.size(b), axis)
    grad_a = -_lags(grad, signal.lfilter(one, a, y, axis), np.size(a), axis)
    grad_b, grad_a = np.reshape(grad_b, np.shape(b)), np.reshape(grad_a, np.shape(a))
    return grad_b, grad_a, np.flip(back, axis)


def _lags(grad: Any, signal_: Any, count: int, axis: int) -> Any:
    """Return the sums of a gradient times a signal that comes later by 0, 1, 2 ... steps."""
    grad, late = np.moveaxis(grad, axis, -1), conj(np.moveaxis(signal_, axis, -1))
    size = np.shape(grad)[-1]
    shown = range(count)
    return np.stack([np.sum(grad[..., k:] * late[..., : max(size - k, 0)]) for k in shown])


def sosfilt_back(grad: Any, sos: Any, x: Any, axis: int) -> tuple[Any, Any]:
    """Return the gradients of the sections and of x of ``signal.sosfilt(sos, x, axis)``."""
    steps = [x]
    for section in sos:
        steps.append(signal.lfilter(section[:3], section[3:], steps[-1], axis))
    parts: list[Any] = []
    for i in range(len(sos) - 1, -1, -1):
        values = (sos[i][:3], sos[i][3:], steps[i], steps[i + 1])
        grad_b, grad_a, grad = lfilter_back(grad, values, axis)
        parts.insert(0, np.concatenate([grad_b, grad_a]))
    return np.stack(parts), grad


def upfirdn_back(
    grad: Any, values: tuple[Any, Any], up: int, down: int, axis: int
) -> tuple[Any, Any]:
    """Return the gradients of the filter and the signal of ``signal.upfirdn``.

    The signal's is the gradient through the filter turned round, with the rates exchanged.
    """
    h, x = values[0], np.moveaxis(values[1], axis, -1)
    grad, size = np.moveaxis(grad, axis, -1), np.shape(x)[-1]
    rest = -(len(h) - 1) % up
    turned = np.flip(np.concatenate([conj(h), np.zeros_like(h, shape=(rest,))]))
    first = (len(h) + rest - 1) // up
    found = signal.upfirdn(turned, grad, down, up)[..., first : first + size]
    lost = np.zeros_like(found, shape=(*np.shape(found)[:-1], size - np.shape(found)[-1]))
    grad_x = np.moveaxis(np.concatenate([found, lost], axis=-1), -1, axis)
    spread, wide = _spread(conj(x), up), _spread(grad, down)
    short = np.shape(spread)[-1] + len(h) - 1 - np.shape(wide)[-1]
    gap = np.zeros_like(wide, shape=(*np.shape(wide)[:-1], max(short, 0)))
    wide = np.concatenate([wide, gap], axis=-1)
    shown = [np.sum(wide[..., k : k + np.shape(spread)[-1]] * spread) for k in range(len(h))]
    return np.stack(shown), grad_x


def _spread(x: Any, rate: int) -> Any:
    """Return values with zeros between them."""
    gaps = np.zeros_like(x, shape=(*np.shape(x), rate - 1))
    wide = np.concatenate([x[..., None], gaps], axis=-1)
    whole = np.reshape(wide, (*np.shape(x)[:-1], -1))
    return whole[..., : np.shape(whole)[-1] - rate + 1]


def cumulative_trapezoid_back(
    grad: Any, values: tuple[Any, Any, Any], axis: int, initial: Any
) -> tuple[Any, Any, Any]:
    """Return the gradients of the values, points and distance of a running integral."""
    y, x, dx = values
    rows = np.moveaxis(y, axis, -1)
    sums = np.moveaxis(grad, axis, -1)
    sums = sums[..., 1:] if initial is not None else sums
    sums = np.flip(np.cumsum(np.flip(sums, -1), -1), -1)
    if x is None:
        widths = dx
    else:
        points = np.moveaxis(x, axis, -1) if np.ndim(x) > 1 else x
        widths = np.diff(points, axis=-1)
    share = sums * conj(widths) / 2
    ends = [(0, 0)] * (np.ndim(rows) - 1)
    grad_y = np.pad(share, [*ends, (0, 1)]) + np.pad(share, [*ends, (1, 0)])
    by_width = sums * conj(rows[..., 1:] + rows[..., :-1]) / 2
    if x is None:
        return np.moveaxis(grad_y, -1, axis), None, np.sum(by_width)
    by_x = np.pad(by_width, [*ends, (1, 0)]) - np.pad(by_width, [*ends, (0, 1)])
    if np.ndim(x) == 1:
        by_x = np.sum(by_x, axis=tuple(range(np.ndim(by_x) - 1)))
    else:
        by_x = np.moveaxis(by_x, -1, axis)
    return np.moveaxis(grad_y, -1, axis), by_x, None
