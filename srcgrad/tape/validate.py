"""Checks the gradients that users' functions return."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.runtime import unbroadcast
from srcgrad.tape.core import Core, make
from srcgrad.tape.node import as_dtype


def fit_gradient(grad: Any, shape: tuple[int, ...], dtype: Any, name: str, index: int) -> Any:
    """Return a user's gradient as a tensor of the shape and dtype of the input.

    Raises:
        RuntimeError: Its shape cannot be summed to that of the input, or it is no tensor.
    """
    if grad is None:
        return None
    plain = isinstance(grad, (np.ndarray, np.generic, float, int, complex))
    if plain and not isinstance(grad, (bool, Core)):  # in strict mode a tensor is an array, too
        grad = make(grad)
    if not isinstance(grad, Core):
        raise RuntimeError(  # noqa: TRY004 - PyTorch's type
            f"expected Variable or None (got {type(grad).__name__})"
        )
    found = grad._array.shape
    if found != shape:
        if not _sums_to(found, shape):
            raise RuntimeError(
                f"Function {name} returned an invalid gradient at index {index} - got "
                f"{list(found)} but expected shape compatible with {list(shape)}"
            )
        grad = unbroadcast(grad, shape)
    return as_dtype(grad, dtype)


def _sums_to(found: tuple[int, ...], shape: tuple[int, ...]) -> bool:
    """Return whether an array of `shape` broadcasts to `found`."""
    if len(shape) > len(found):
        return False
    tail = found[len(found) - len(shape) :]
    return all(n in (1, m) for n, m in zip(shape, tail, strict=True))
