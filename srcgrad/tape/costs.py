"""Counts what the profiler says of a call: the memory of new arrays, and arithmetic operations."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.tape.core import Core


def arrays_in(value: Any) -> list[Any]:
    """Return the arrays of tensors, and arrays, in nested lists, tuples and dicts."""
    if isinstance(value, Core):
        return [value._array]
    if isinstance(value, np.ndarray):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [array for item in value for array in arrays_in(item)]
    return []


def bytes_made(result: Any, args: Any) -> int:
    """Return the bytes of the arrays in `result` that do not lie in memory of the arguments."""
    given = arrays_in(args)
    fresh = {
        id(array): array.nbytes
        for array in arrays_in(result)
        if not any(np.may_share_memory(array, old) for old in given)
    }
    return sum(fresh.values())


def flops_of(label: str, args: tuple[Any, ...]) -> int:
    """Return the multiplications and additions of a call, 0 if they are not counted.

    Counted are products of matrices (two for each term of a sum, as PyTorch does), and sums,
    differences, products and quotients of elements (one each).
    """
    count = _COUNTS.get(label)
    shapes = [_shape(arg) for arg in args[:2]]
    return 0 if count is None or len(shapes) < 2 else count(*shapes)


def _shape(value: Any) -> tuple[int, ...]:
    return value._array.shape if isinstance(value, Core) else np.shape(value)


def _elements(a: tuple[int, ...], b: tuple[int, ...]) -> int:
    return math.prod(np.broadcast_shapes(a, b))


def _matmul(a: tuple[int, ...], b: tuple[int, ...]) -> int:
    rows = a[-2] if len(a) > 1 else 1
    columns = b[-1] if len(b) > 1 else 1
    stacked = math.prod(np.broadcast_shapes(a[:-2], b[:-2]))
    return 2 * stacked * rows * a[-1] * columns


def _dot(a: tuple[int, ...], b: tuple[int, ...]) -> int:
    if not a or not b:
        return _elements(a, b)
    others = b[:-2] + b[-1:] if len(b) > 1 else ()
    return 2 * math.prod(a) * math.prod(others)


def _inner(a: tuple[int, ...], b: tuple[int, ...]) -> int:
    return 2 * math.prod(a) * math.prod(b[:-1]) if a and b else _elements(a, b)


def _outer(a: tuple[int, ...], b: tuple[int, ...]) -> int:
    return math.prod(a) * math.prod(b)


def _convolve(a: tuple[int, ...], b: tuple[int, ...]) -> int:
    return 2 * math.prod(a) * math.prod(b)


_COUNTS: dict[str, Callable[[tuple[int, ...], tuple[int, ...]], int]] = {
    **dict.fromkeys(("numpy.add", "numpy.subtract", "numpy.multiply", "numpy.divide"), _elements),
    "numpy.matmul": _matmul,
    "numpy.dot": _dot,
    "numpy.vdot": _inner,
    "numpy.inner": _inner,
    "numpy.outer": _outer,
    "numpy.convolve": _convolve,
    "numpy.correlate": _convolve,
}
