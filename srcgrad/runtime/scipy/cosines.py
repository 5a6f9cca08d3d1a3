"""Applies the transposes of cosine and sine transforms, in the time that these take."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from scipy import fft

from srcgrad.runtime.dispatch import recordable
from srcgrad.runtime.fourier import opposite, resize_axis
from srcgrad.runtime.scipy.linear_maps import dtype_of

RECIPROCAL: Final = {1: 1, 2: 3, 3: 2, 4: 4}
"""The type of the inverse, but for its scale, of each type of cosine and sine transforms."""


@recordable
def dct_back(grad: Any, shape: Any, kind: int, axis: int, norm: Any) -> Any:
    """Return the gradient of x in ``fft.dct(x, kind, n, axis, norm)``."""
    count = np.shape(grad)[axis]
    if norm == "ortho":  # an orthogonal matrix
        return resize_axis(fft.idct(grad, kind, axis=axis, norm=norm), shape[axis], axis)
    before, after = np.ones(count), np.ones(count)
    if kind == 1:
        before[1:-1], after[1:-1] = 0.5, 2
    elif kind == 2:
        before[0] = 2
    elif kind == 3:
        after[0] = 0.5
    part = _weighted(grad, before, axis)
    # a transform and its transpose are scaled alike, a transform and its reciprocal the other way
    part = fft.dct(part, RECIPROCAL[kind], axis=axis, norm=norm)
    return resize_axis(_weighted(part, after, axis), shape[axis], axis)


@recordable
def dst_back(grad: Any, shape: Any, kind: int, axis: int, norm: Any) -> Any:
    """Return the gradient of x in ``fft.dst(x, kind, n, axis, norm)``."""
    count = np.shape(grad)[axis]
    if norm == "ortho":
        return resize_axis(fft.idst(grad, kind, axis=axis, norm=norm), shape[axis], axis)
    before, after = np.ones(count), np.ones(count)
    if kind == 2:
        before[-1] = 2
    elif kind == 3:
        after[-1] = 0.5
    part = _weighted(grad, before, axis)
    part = fft.dst(part, RECIPROCAL[kind], axis=axis, norm=norm)
    return resize_axis(_weighted(part, after, axis), shape[axis], axis)


def idct_back(grad: Any, shape: Any, kind: int, axis: int, norm: Any) -> Any:
    """Return the gradient of x in ``fft.idct(x, kind, n, axis, norm)``."""
    return dct_back(grad, shape, RECIPROCAL[kind], axis, opposite(norm))


def idst_back(grad: Any, shape: Any, kind: int, axis: int, norm: Any) -> Any:
    """Return the gradient of x in ``fft.idst(x, kind, n, axis, norm)``."""
    return dst_back(grad, shape, RECIPROCAL[kind], axis, opposite(norm))


def _weighted(grad: Any, weights: Any, axis: int) -> Any:
    """Return an array times one weight for each place along an axis, in its own precision."""
    single = dtype_of(grad).itemsize <= (8 if np.iscomplexobj(grad) else 4)
    shape = [1] * np.ndim(grad)
    shape[axis] = len(weights)
    return grad * np.reshape(weights.astype(np.float32 if single else np.float64), shape)
