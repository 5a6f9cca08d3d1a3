"""Filters that choose one of the neighbours of each pixel, written out with windows."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import ndimage, signal

from srcgrad.rules.equivalents.registry import EquivalentTable, written_out
from srcgrad.runtime.scipy.windows import widths_around, window_sizes

table = EquivalentTable()


@written_out
def windows_of(input: Any, sizes: Any, mode: str, cval: Any) -> Any:
    """Return the neighbours of each pixel, along one last axis."""
    widths = widths_around(sizes)
    if mode in ("constant", "grid-constant"):
        wide = np.pad(input, widths, "constant", constant_values=cval)
    elif mode == "nearest":
        wide = np.pad(input, widths, "edge")
    elif mode == "mirror":
        wide = np.pad(input, widths, "reflect")
    elif mode in ("wrap", "grid-wrap"):
        wide = np.pad(input, widths, "wrap")
    else:
        wide = np.pad(input, widths, "symmetric")
    windows = np.lib.stride_tricks.sliding_window_view(wide, sizes)
    return np.reshape(windows, (*np.shape(input), -1))


@table.of(ndimage.maximum_filter)
def maximum_filter(input: Any, size: Any, *, mode: str = "reflect", cval: Any = 0.0) -> Any:
    """Return the greatest of the neighbours of each pixel."""
    return np.max(windows_of(input, window_sizes(size, np.ndim(input)), mode, cval), axis=-1)


@table.of(ndimage.minimum_filter)
def minimum_filter(input: Any, size: Any, *, mode: str = "reflect", cval: Any = 0.0) -> Any:
    """Return the least of the neighbours of each pixel."""
    return np.min(windows_of(input, window_sizes(size, np.ndim(input)), mode, cval), axis=-1)


@table.of(ndimage.median_filter)
def median_filter(input: Any, size: Any, *, mode: str = "reflect", cval: Any = 0.0) -> Any:
    """Return the neighbour in the middle of their order; of an even number the later one."""
    windows = windows_of(input, window_sizes(size, np.ndim(input)), mode, cval)
    return np.sort(windows, axis=-1)[..., np.shape(windows)[-1] // 2]


@table.of(signal.medfilt)
def medfilt(volume: Any, kernel_size: Any = 3) -> Any:
    """Return the median of the neighbours of each element, with zeros around."""
    windows = windows_of(volume, window_sizes(kernel_size, np.ndim(volume)), "constant", 0.0)
    return np.sort(windows, axis=-1)[..., np.shape(windows)[-1] // 2]


EQUIVALENTS = table.freeze()
