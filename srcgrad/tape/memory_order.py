"""Lays tangents out in memory as their values are, so that views of both are alike."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from srcgrad.runtime.copies import copied_with_gaps, overlaps

_NUMBERS: Final = (int, float, complex, np.generic)


def laid_out(tangent: Any, value: Any) -> Any:
    """Return a tangent whose arrays have the order in memory of those of its value.

    A reshape of a value that is a view of it is one of its tangent, then, and `ravel` with
    ``order="K"`` reads both alike. A number is one of NumPy's, or an array, if the value is: only
    these have elements and methods.

    >>> laid_out(np.ones((2, 3)), np.zeros((3, 2)).T).strides
    (8, 16)
    >>> laid_out(1.0, np.float64(2.0))[None].shape
    (1,)
    """
    if type(tangent) is np.ndarray and type(value) is np.ndarray:
        return tangent if _are_alike(tangent, value) else _copied_as(tangent, value)
    if isinstance(value, (np.ndarray, np.generic)) and isinstance(tangent, _NUMBERS):
        made = np.array(tangent, np.result_type(type(tangent), value.dtype))
        return made if type(value) is np.ndarray else made[()]
    if isinstance(tangent, dict) and isinstance(value, dict):
        pairs = {key: laid_out(item, value.get(key)) for key, item in tangent.items()}
        return tangent if all(pairs[key] is tangent[key] for key in pairs) else pairs
    if type(tangent) in (list, tuple) and isinstance(value, (list, tuple)):
        return type(tangent)(laid_out(*pair) for pair in zip(tangent, value, strict=False))
    return tangent


def _are_alike(tangent: Any, value: Any) -> bool:
    if tangent.flags.c_contiguous and value.flags.c_contiguous:
        return True
    return bool(tangent.strides == value.strides and tangent.itemsize == value.itemsize)


def _copied_as(tangent: Any, value: Any) -> Any:
    """Copy a tangent to memory with the steps of a value, or with gaps if elements share memory."""
    steps = [step // max(value.itemsize, 1) for step in value.strides]
    extents = [step * (count - 1) for step, count in zip(steps, value.shape, strict=True)]
    if not value.size or tangent.shape != value.shape:
        return tangent
    if overlaps(value.shape, steps):
        return copied_with_gaps(tangent)
    span = sum(map(abs, extents))
    start = -sum(extent for extent in extents if extent < 0)
    memory = np.empty(span + 1, dtype=tangent.dtype)
    strides = [step * tangent.itemsize for step in steps]
    copy = np.lib.stride_tricks.as_strided(memory[start:], value.shape, strides)
    copy[...] = tangent
    return copy
