"""Transforms in ``scipy.fft`` along several axes, and in ``scipy.fftpack``, by those along one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import fft, fftpack

from srcgrad.rules.equivalents.registry import EquivalentTable
from srcgrad.runtime.scipy.axes import axes_and_sizes

table = EquivalentTable()


@table.of(fft.dctn, fft.dct)
@table.of(fft.idctn, fft.idct)
@table.of(fft.dstn, fft.dst)
@table.of(fft.idstn, fft.idst)
def along_axes(
    transform: Callable[..., Any],
    x: Any,
    type: int = 2,
    s: Any = None,
    axes: Any = None,
    norm: Any = None,
) -> Any:
    """Transform along one axis after the other."""
    y = x
    for axis, size in axes_and_sizes(np.shape(x), s, axes):
        y = transform(y, type, n=size, axis=axis, norm=norm)
    return y


@table.of(fftpack.dct, fft.dct)
@table.of(fftpack.dst, fft.dst)
def along_an_axis(
    transform: Callable[..., Any],
    x: Any,
    type: int = 2,
    n: Any = None,
    axis: int = -1,
    norm: Any = None,
    overwrite_x: bool = False,
) -> Any:
    """Transform as the older package does."""
    return transform(x, type, n, axis, norm)


@table.of(fftpack.idct, fft.dct)
@table.of(fftpack.idst, fft.dst)
def back_along_an_axis(
    transform: Callable[..., Any],
    x: Any,
    type: int = 2,
    n: Any = None,
    axis: int = -1,
    norm: Any = None,
    overwrite_x: bool = False,
) -> Any:
    """Transform back as the older package does, which is not divided by the length."""
    return transform(x, 5 - type if type in (2, 3) else type, n, axis, norm)


@table.of(fftpack.fft, fft.fft)
@table.of(fftpack.ifft, fft.ifft)
def to_frequencies(
    transform: Callable[..., Any],
    x: Any,
    n: Any = None,
    axis: int = -1,
    overwrite_x: bool = False,
) -> Any:
    """Transform along an axis as the older package does, with what it calls its parameters."""
    return transform(x, n, axis)


EQUIVALENTS = table.freeze()
