"""Calculates derivatives of images that are read on a grid along their own axes.

So ``ndimage.zoom`` and ``ndimage.shift`` do. Each axis has a matrix of its own, with a few numbers
in a row, by which they go one after the other.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from srcgrad.runtime.dispatch import recordable
from srcgrad.runtime.scipy.filters import per_axis
from srcgrad.runtime.scipy.linear_maps import dtype_of
from srcgrad.runtime.scipy.neighbours import Axis
from srcgrad.runtime.scipy.splines import coefficients, filter_back, floats_only, margin_of


@recordable
def zoom_back(grad: Any, shape: Any, zoom: Any, options: dict[str, Any]) -> Any:
    """Return the gradient of the image of ``ndimage.zoom``."""
    if options["prefilter"] and all(item == 1 for item in per_axis(zoom, len(shape))):
        return grad
    kind, margin = dtype_of(grad), margin_of(options)
    grid = options["grid_mode"] and kind.kind != "c"  # SciPy drops it where numbers are complex
    for axis, size in enumerate(shape):
        places = _zoomed(np.shape(grad)[axis], size, grid)
        (matrix,) = _matrices(Axis(places, size + 2 * margin, margin, options), 0)
        grad = _along(matrix.T, grad, axis)
    return filter_back(grad, shape, options).astype(kind)


def _zoomed(count: int, size: int, grid_mode: bool) -> Any:
    """Return where each pixel of a zoomed axis lies in the image."""
    if grid_mode:
        return (np.arange(count) + 0.5) * (size / count) - 0.5
    return np.arange(count) * ((size - 1) / (count - 1) if count > 1 else 1.0)


@recordable
def shift_image_back(grad: Any, shift: Any, how: dict[str, Any]) -> Any:
    """Return the gradient of the image of ``ndimage.shift``."""
    kind, shape = dtype_of(grad), np.shape(grad)
    for axis, near in enumerate(_moved(shape, shift, how)):
        (matrix,) = _matrices(near, 0)
        grad = _along(matrix.T, grad, axis)
    return filter_back(grad, shape, how).astype(kind)


@recordable
def shift_slopes(image: Any, shift: Any, how: dict[str, Any]) -> Any:
    """Return the derivatives of ``ndimage.shift`` by the place that is read, on each axis."""
    floats_only(image)
    image, shape, zeros = np.asarray(image), np.shape(image), {**how, "cval": 0.0}
    inner = image - how["cval"] if how["mode"] == "grid-constant" else image  # zeros around it
    pixels, _ = coefficients(inner, zeros)
    pairs = [_matrices(near, 0, 1) for near in _moved(shape, shift, how)]
    slopes = []
    for i in range(len(shape)):
        slope = pixels
        for axis, pair in enumerate(pairs):
            slope = _along(pair[1 if axis == i else 0], slope, axis)
        slopes.append(slope)
    return np.stack(slopes).astype(image.dtype)


def _moved(shape: Any, shift: Any, how: dict[str, Any]) -> list[Axis]:
    """Return what the pixels of a moved image are read from, along each axis."""
    shifts, margin = per_axis(shift, len(shape)), margin_of(how)
    return [
        Axis(np.arange(size) - by, size + 2 * margin, margin, how)
        for size, by in zip(shape, shifts, strict=True)
    ]


def _matrices(near: Axis, *ways: int) -> list[Any]:
    """Return what takes pixels to the values between them, differentiated some times."""
    size, known = np.size(near.inside), near.inside
    if near.known is not None:
        known = known & near.known
    places = np.ravel(near.places, "F")
    starts = np.arange(size + 1) * len(near.places)
    every = [np.ravel(near.weights(turns) * known, "F") for turns in ways]
    return [sparse.csr_array((each, places, starts), (size, near.size)) for each in every]


def _along(matrix: Any, image: Any, axis: int) -> Any:
    lines = np.moveaxis(image, axis, 0)
    rest = np.shape(lines)[1:]
    product = matrix @ np.reshape(lines, (len(lines), int(np.prod(rest))))
    return np.moveaxis(np.reshape(product, (len(product), *rest)), 0, axis)
