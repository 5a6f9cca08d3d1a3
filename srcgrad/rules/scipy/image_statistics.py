"""Morphology and statistics of images in ``scipy.ndimage`` that are written out with others."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import ndimage

from srcgrad.rules.equivalents.registry import EquivalentTable, written_out
from srcgrad.rules.scipy.ranked_filters import windows_of
from srcgrad.runtime.scipy.windows import (
    label_places,
    only_one,
    rank_of,
    sizes_along,
    window_sizes,
)

table = EquivalentTable()


@table.of(ndimage.maximum_filter1d)
def maximum_filter1d(
    input: Any, size: int, axis: int = -1, *, mode: str = "reflect", cval: Any = 0.0
) -> Any:
    """Return the greatest of the neighbours along an axis."""
    return np.max(windows_of(input, sizes_along(size, axis, np.ndim(input)), mode, cval), axis=-1)


@table.of(ndimage.minimum_filter1d)
def minimum_filter1d(
    input: Any, size: int, axis: int = -1, *, mode: str = "reflect", cval: Any = 0.0
) -> Any:
    """Return the least of the neighbours along an axis."""
    return np.min(windows_of(input, sizes_along(size, axis, np.ndim(input)), mode, cval), axis=-1)


@table.of(ndimage.rank_filter)
def rank_filter(input: Any, rank: int, size: Any, *, mode: str = "reflect", cval: Any = 0.0) -> Any:
    """Return the neighbour of a rank in their order."""
    windows = windows_of(input, window_sizes(size, np.ndim(input)), mode, cval)
    return np.sort(windows, axis=-1)[..., rank]


@table.of(ndimage.percentile_filter)
def percentile_filter(
    input: Any, percentile: Any, size: Any, *, mode: str = "reflect", cval: Any = 0.0
) -> Any:
    """Return the neighbour at a percentile of their order."""
    windows = windows_of(input, window_sizes(size, np.ndim(input)), mode, cval)
    return np.sort(windows, axis=-1)[..., rank_of(percentile, np.shape(windows)[-1])]


@table.of(ndimage.grey_dilation)
def grey_dilation(input: Any, size: Any, *, mode: str = "reflect", cval: Any = 0.0) -> Any:
    """Return the greatest of the neighbours of each pixel."""
    odd = window_sizes(size, np.ndim(input), odd=True)
    return np.max(windows_of(input, odd, mode, cval), axis=-1)


@table.of(ndimage.grey_erosion)
def grey_erosion(input: Any, size: Any, *, mode: str = "reflect", cval: Any = 0.0) -> Any:
    """Return the least of the neighbours of each pixel."""
    odd = window_sizes(size, np.ndim(input), odd=True)
    return np.min(windows_of(input, odd, mode, cval), axis=-1)


@table.of(ndimage.grey_opening)
def grey_opening(input: Any, size: Any, *, mode: str = "reflect", cval: Any = 0.0) -> Any:
    """Return an image without its small bright parts."""
    return ndimage.grey_dilation(
        ndimage.grey_erosion(input, size, mode=mode, cval=cval), size, mode=mode, cval=cval
    )


@table.of(ndimage.grey_closing)
def grey_closing(input: Any, size: Any, *, mode: str = "reflect", cval: Any = 0.0) -> Any:
    """Return an image without its small dark parts."""
    return ndimage.grey_erosion(
        ndimage.grey_dilation(input, size, mode=mode, cval=cval), size, mode=mode, cval=cval
    )


@table.of(ndimage.white_tophat)
def white_tophat(input: Any, size: Any, *, mode: str = "reflect", cval: Any = 0.0) -> Any:
    """Return the small bright parts of an image."""
    return input - ndimage.grey_opening(input, size, mode=mode, cval=cval)


@table.of(ndimage.black_tophat)
def black_tophat(input: Any, size: Any, *, mode: str = "reflect", cval: Any = 0.0) -> Any:
    """Return the small dark parts of an image."""
    return ndimage.grey_closing(input, size, mode=mode, cval=cval) - input


@table.of(ndimage.morphological_gradient)
def morphological_gradient(input: Any, size: Any, *, mode: str = "reflect", cval: Any = 0.0) -> Any:
    """Return how far the neighbours of each pixel reach."""
    wide = ndimage.grey_dilation(input, size, mode=mode, cval=cval)
    return wide - ndimage.grey_erosion(input, size, mode=mode, cval=cval)


@table.of(ndimage.morphological_laplace)
def morphological_laplace(input: Any, size: Any, *, mode: str = "reflect", cval: Any = 0.0) -> Any:
    """Return how the greatest and the least neighbours lie about each pixel."""
    wide = ndimage.grey_dilation(input, size, mode=mode, cval=cval)
    return wide + ndimage.grey_erosion(input, size, mode=mode, cval=cval) - 2 * input


@table.of(ndimage.gaussian_laplace)
def gaussian_laplace(input: Any, sigma: Any, *, mode: str = "reflect", cval: Any = 0.0) -> Any:
    """Return the sum of the second derivatives of a smoothed image."""
    found = 0.0
    for order in np.diag([2] * np.ndim(input)).tolist():
        found = found + ndimage.gaussian_filter(input, sigma, order, mode=mode, cval=cval)
    return found


@table.of(ndimage.gaussian_gradient_magnitude)
def gaussian_gradient_magnitude(
    input: Any, sigma: Any, *, mode: str = "reflect", cval: Any = 0.0
) -> Any:
    """Return the length of the gradient of a smoothed image."""
    squares = 0.0
    for order in np.eye(np.ndim(input), dtype=int).tolist():
        squares = squares + ndimage.gaussian_filter(input, sigma, order, mode=mode, cval=cval) ** 2
    return np.sqrt(squares)


@written_out
def summed(input: Any, places: Any, count: int, index: Any) -> Any:
    """Return the sums of the values at each of some places; of one that is a number, a number."""
    sums = np.bincount(places, np.ravel(input), count + 1)[:count]
    return np.reshape(sums, np.shape(index))


@table.of(ndimage.sum_labels)
@table.of(ndimage.sum)
def sum_labels(input: Any, labels: Any = None, index: Any = None) -> Any:
    """Return the sums of the values with each label."""
    places, count = label_places(np.shape(input), labels, index)
    return summed(input, places, count, index)


@table.of(ndimage.mean)
def mean(input: Any, labels: Any = None, index: Any = None) -> Any:
    """Return the means of the values with each label."""
    places, count = label_places(np.shape(input), labels, index)
    sizes = np.bincount(places, minlength=count + 1)[:count]
    return summed(input, places, count, index) / np.reshape(sizes, np.shape(index))


@table.of(ndimage.variance)
def variance(input: Any, labels: Any = None, index: Any = None) -> Any:
    """Return the variances of the values with each label."""
    places, count = label_places(np.shape(input), labels, index)
    sizes = np.bincount(places, minlength=count + 1)
    means = np.bincount(places, np.ravel(input), count + 1) / np.maximum(sizes, 1)
    squares = (np.ravel(input) - means[places]) ** 2
    return summed(squares, places, count, index) / np.reshape(sizes[:count], np.shape(index))


@table.of(ndimage.standard_deviation)
def standard_deviation(input: Any, labels: Any = None, index: Any = None) -> Any:
    """Return the deviations of the values with each label."""
    return np.sqrt(ndimage.variance(input, labels, index))


@table.of(ndimage.center_of_mass)
def center_of_mass(input: Any, labels: Any = None, index: Any = None) -> Any:
    """Return where the mass with a label balances: one number for each axis."""
    only_one(index)
    places, count = label_places(np.shape(input), labels, index)
    whole = summed(input, places, count, index)
    grids = np.indices(np.shape(input))
    return tuple([summed(input * grid, places, count, index) / whole for grid in grids])


@table.of(ndimage.maximum)
def maximum(input: Any) -> Any:
    """Return the greatest value."""
    return np.max(input)


@table.of(ndimage.minimum)
def minimum(input: Any) -> Any:
    """Return the least value."""
    return np.min(input)


@table.of(ndimage.median)
def median(input: Any) -> Any:
    """Return the value in the middle."""
    return np.median(input)


EQUIVALENTS = table.freeze()
