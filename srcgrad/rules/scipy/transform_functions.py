"""Transforms along several axes in ``scipy.fft`` that are written out with those along one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import fft

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


EQUIVALENTS = table.freeze()
