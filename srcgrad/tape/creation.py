"""Makes tensors: from data, from arrays, and by the names of PyTorch's factories."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.backends import NUMPY, library_of
from srcgrad.errors import LibraryGapError
from srcgrad.tape.core import Core, make
from srcgrad.tape.tensor import Tensor


def tensor(data: Any, *, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """Return a leaf that holds a copy of `data`, with the dtype that NumPy gives it.

    Raises:
        RuntimeError: `requires_grad` for integers or booleans.
        LibraryGapError: `data` is an array of another library than NumPy.
    """
    library = library_of(data)
    if library is not None and library is not NUMPY:
        raise LibraryGapError(
            f"a tensor holds an array of NumPy, and this is one of {library.title}",
            hint="differentiate a function of it by source: srcgrad.grad, vjp and jvp",
        )
    raw = data._array if isinstance(data, Core) else data
    if isinstance(raw, (list, tuple)):
        raw = _numbers(raw)
    return _finish(np.array(raw, dtype=dtype), requires_grad)


def _numbers(values: Any) -> Any:
    return [
        _numbers(v) if isinstance(v, (list, tuple)) else getattr(v, "_array", v) for v in values
    ]


def _finish(array: Any, requires_grad: bool) -> Tensor:
    made: Tensor = make(array)
    if requires_grad:
        if array.dtype.kind not in "fc":
            raise RuntimeError(
                "Only Tensors of floating point and complex dtype can require gradients"
            )
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
    """Return `data` itself if it is a tensor of this dtype, else one on its memory if possible."""
    if isinstance(data, Tensor) and (dtype is None or data.dtype == dtype):
        return data
    if isinstance(data, Core):
        result: Tensor = data.astype(dtype)
        return result
    if isinstance(data, np.ndarray) and (dtype is None or data.dtype == dtype):
        return from_numpy(data)
    return tensor(data, dtype=dtype)


def _shape(size: tuple[Any, ...]) -> tuple[int, ...]:
    if len(size) == 1 and isinstance(size[0], (tuple, list)):
        return tuple(size[0])
    return tuple(int(n) for n in size)


def zeros(*size: Any, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """Return a tensor of zeros."""
    return _finish(np.zeros(_shape(size), dtype or float), requires_grad)


def ones(*size: Any, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """Return a tensor of ones."""
    return _finish(np.ones(_shape(size), dtype or float), requires_grad)


def empty(*size: Any, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """Return a tensor whose elements are not set."""
    return _finish(np.empty(_shape(size), dtype or float), requires_grad)


def full(size: Any, fill_value: Any, *, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """Return a tensor filled with one value."""
    return _finish(np.full(size, getattr(fill_value, "_array", fill_value), dtype), requires_grad)


def zeros_like(input: Any, *, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """Return zeros of the shape and dtype of `input`."""
    return _finish(np.zeros_like(as_tensor(input)._array, dtype), requires_grad)


def ones_like(input: Any, *, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """Return ones of the shape and dtype of `input`."""
    return _finish(np.ones_like(as_tensor(input)._array, dtype), requires_grad)


def empty_like(input: Any, *, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """Return a tensor of the shape and dtype of `input` whose elements are not set."""
    return _finish(np.empty_like(as_tensor(input)._array, dtype), requires_grad)


def full_like(
    input: Any, fill_value: Any, *, dtype: Any = None, requires_grad: bool = False
) -> Tensor:
    """Return a tensor of the shape and dtype of `input`, filled with one value."""
    return _finish(np.full_like(as_tensor(input)._array, fill_value, dtype), requires_grad)


def eye(n: int, m: int | None = None, *, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """Return a matrix with ones on its diagonal."""
    return _finish(np.eye(n, m, dtype=dtype or float), requires_grad)


def arange(*args: Any, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """Return evenly spaced values from a start, up to an end that is left out."""
    return _finish(np.arange(*args, dtype=dtype), requires_grad)


def linspace(
    start: float, end: float, steps: int, *, dtype: Any = None, requires_grad: bool = False
) -> Tensor:
    """Return `steps` evenly spaced values from `start` to `end`."""
    return _finish(np.linspace(start, end, steps, dtype=dtype), requires_grad)


_GENERATOR: list[Any] = [np.random.default_rng()]


def manual_seed(seed: int) -> None:
    """Restart the random numbers of `rand` and its kin."""
    _GENERATOR[0] = np.random.default_rng(seed)


def rand(*size: Any, requires_grad: bool = False) -> Tensor:
    """Return random numbers between 0 and 1."""
    return _finish(_GENERATOR[0].random(_shape(size)), requires_grad)


def randn(*size: Any, requires_grad: bool = False) -> Tensor:
    """Return random numbers of the standard normal distribution."""
    return _finish(_GENERATOR[0].standard_normal(_shape(size)), requires_grad)


def is_tensor(value: Any) -> bool:
    """Return whether `value` is a tensor."""
    return isinstance(value, Core)
