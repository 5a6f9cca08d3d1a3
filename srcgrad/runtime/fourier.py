"""Adjoints of the discrete Fourier transforms."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.runtime.complex_parts import real_part
from srcgrad.runtime.reducing import cast_like


def opposite(norm: Any) -> Any:
    """Return the scaling of the adjoint of a transform that is scaled as `norm` says."""
    return {None: "forward", "backward": "forward", "forward": "backward"}.get(norm, norm)


def resize_axis(x: Any, length: int, axis: int) -> Any:
    """Cut `x` along an axis, or append zeros, so that it has the given length there."""
    count = np.shape(x)[axis]
    if count == length:
        return x
    axis %= np.ndim(x)
    if count > length:
        return x[(slice(None),) * axis + (slice(0, length),)]
    width = [(0, 0)] * np.ndim(x)
    width[axis] = (0, length - count)
    return np.pad(x, width)


def fft_back(grad: Any, shape: Any, axis: int, norm: Any) -> Any:
    """Return the adjoint of ``np.fft.fft``: the inverse transform, but for the scale."""
    return resize_axis(np.fft.ifft(grad, axis=axis, norm=opposite(norm)), shape[axis], axis)


def ifft_back(grad: Any, shape: Any, axis: int, norm: Any) -> Any:
    """Return the adjoint of ``np.fft.ifft``: the transform, but for the scale."""
    return resize_axis(np.fft.fft(grad, axis=axis, norm=opposite(norm)), shape[axis], axis)


def rfft_back(grad: Any, shape: Any, n: int | None, axis: int, norm: Any) -> Any:
    """Return the adjoint of ``np.fft.rfft``: that of the full transform, cut to its half."""
    length = shape[axis] if n is None else n
    full = np.fft.ifft(resize_axis(grad, length, axis), axis=axis, norm=opposite(norm))
    return resize_axis(np.real(full), shape[axis], axis)


def irfft_back(grad: Any, shape: Any, axis: int, norm: Any) -> Any:
    """Return the adjoint of ``np.fft.irfft``, which reads all but one or two numbers twice."""
    grad = real_part(grad)
    length = np.shape(grad)[axis]
    half = np.fft.rfft(grad, axis=axis, norm=opposite(norm))
    count = np.shape(half)[axis]
    twice = np.full(count, 2)
    twice[0] = 1
    if length % 2 == 0:
        twice[-1] = 1
    column = np.reshape(twice, (-1,) + (1,) * (np.ndim(grad) - axis % np.ndim(grad) - 1))
    return resize_axis(half * cast_like(column, grad), shape[axis], axis)


def transformed_axes(rank: int, s: Any, axes: Any) -> list[int]:
    """Return the axes of a transform of several axes, in the order in which NumPy takes them."""
    if axes is not None:
        return list(axes)
    return list(range(rank)) if s is None else list(range(rank - len(s), rank))


def fftn_back(grad: Any, shape: Any, s: Any, axes: Any, norm: Any) -> Any:
    """Return the adjoint of ``np.fft.fftn``."""
    for axis in transformed_axes(len(shape), s, axes):
        grad = fft_back(grad, shape, axis, norm)
    return grad


def ifftn_back(grad: Any, shape: Any, s: Any, axes: Any, norm: Any) -> Any:
    """Return the adjoint of ``np.fft.ifftn``."""
    for axis in transformed_axes(len(shape), s, axes):
        grad = ifft_back(grad, shape, axis, norm)
    return grad


def rfftn_back(grad: Any, shape: Any, s: Any, axes: Any, norm: Any) -> Any:
    """Return the adjoint of ``np.fft.rfftn``, whose last axis is cut to its half."""
    *others, last = transformed_axes(len(shape), s, axes)
    for axis in others:
        grad = fft_back(grad, shape, axis, norm)
    return rfft_back(grad, shape, None if s is None or s[-1] == -1 else s[-1], last, norm)


def irfftn_back(grad: Any, shape: Any, s: Any, axes: Any, norm: Any) -> Any:
    """Return the adjoint of ``np.fft.irfftn``, whose last axis is known by its half."""
    *others, last = transformed_axes(len(shape), s, axes)
    grad = irfft_back(grad, shape, last, norm)
    for axis in others:
        grad = ifft_back(grad, shape, axis, norm)
    return grad
