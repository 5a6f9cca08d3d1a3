"""Calculates the adjoint of ``ndimage.zoom``, one axis after the other."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from srcgrad.runtime.dispatch import recordable
from srcgrad.runtime.scipy.filters import per_axis
from srcgrad.runtime.scipy.linear_maps import dtype_of
from srcgrad.runtime.scipy.neighbours import Axis
from srcgrad.runtime.scipy.splines import filter_back, margin_of


@recordable
def zoom_back(grad: Any, shape: Any, zoom: Any, options: dict[str, Any]) -> Any:
    """Return the gradient of the image of ``ndimage.zoom``."""
    if options["prefilter"] and all(item == 1 for item in per_axis(zoom, len(shape))):
        return grad
    kind = dtype_of(grad)
    grid = options["grid_mode"] and kind.kind != "c"  # SciPy drops it where numbers are complex
    for axis, size in enumerate(shape):
        grad = _axis_back(grad, axis, size, {**options, "grid_mode": grid})
    return filter_back(grad, shape, options).astype(kind)


def _axis_back(grad: Any, axis: int, size: int, how: dict[str, Any]) -> Any:
    """Return the gradient of the coefficients along an axis, between which one has interpolated."""
    lines, margin = np.moveaxis(grad, axis, 0), margin_of(how)
    near = Axis(_places(len(lines), size, how["grid_mode"]), size + 2 * margin, margin, how)
    weights = near.weights() * near.inside
    weights = weights if near.known is None else weights * near.known
    starts = np.arange(len(lines) + 1) * len(weights)
    read = (np.ravel(weights, "F"), np.ravel(near.places, "F"), starts)
    matrix = sparse.csr_array(read, shape=(len(lines), size + 2 * margin))
    spread = matrix.T @ np.reshape(lines, (len(lines), -1))
    return np.moveaxis(np.reshape(spread, (-1, *np.shape(lines)[1:])), 0, axis)


def _places(count: int, size: int, grid_mode: bool) -> Any:
    """Return where each pixel of a zoomed axis lies in the image."""
    if grid_mode:
        return (np.arange(count) + 0.5) * (size / count) - 0.5
    return np.arange(count) * ((size - 1) / (count - 1) if count > 1 else 1.0)
