"""Makes tensors: from data, from arrays, and by the names of PyTorch's factories."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.tape.core import Core, make
from srcgrad.tape.tensor import Tensor


def tensor(data: Any, *, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """Return a leaf that holds a copy of `data`, with the dtype that NumPy gives it.

    Raises:
        RuntimeError: `requires_grad` for integers or booleans.
    """
    raw = data._data if isinstance(data, Core) else data
    if isinstance(raw, (list, tuple)):
        raw = _numbers(raw)
    return _finish(np.array(raw, dtype=dtype), requires_grad)


def _numbers(values: Any) -> Any:
    return [_numbers(v) if isinstance(v, (list, tuple)) else getattr(v, "_data", v) for v in values]


def _finish(array: Any, requires_grad: bool) -> Tensor:
    made: Tensor = make(array)
    if requires_grad:
        made.requires_grad = True
    return made


def from_numpy(array: Any) -> Tensor:
    """Return a tensor on the memory of `array`.

    Raises:
        TypeError: `array` is no NumPy array.
    """
    if not isinstance(array, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {type(array).__name__})")
    made: Tensor = make(array.view())
    return made


def as_tensor(data: Any, dtype: Any = None) -> Tensor:
    """Return `data` itself if it is a tensor of this dtype, else a tensor, on its memory if it can be."""
    if isinstance(data, Tensor) and (dtype is None or data.dtype == dtype):
        return data
    if isinstance(data, Core):
        result: Tensor = data.astype(dtype)  # type: ignore[attr-defined]
        return result
    if isinstance(data, np.ndarray) and (dtype is None or data.dtype == dtype):
        return from_numpy(data)
    return tensor(data, dtype=dtype)
