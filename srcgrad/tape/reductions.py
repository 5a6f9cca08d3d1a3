"""Holds PyTorch's functions that reduce, sort or accumulate."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.tape.calls import Pair, axis_of, lift, np_call
from srcgrad.tape.core import Core, make
from srcgrad.tape.shapes import narrow


def sum(input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """Return the sum over `dim`, one axis or several; over all if None."""
    return np_call(np.sum, lift(input), axis=axis_of(dim), keepdims=keepdim, dtype=dtype)


def mean(input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """Return the mean over `dim`."""
    return np_call(np.mean, lift(input), axis=axis_of(dim), keepdims=keepdim, dtype=dtype)


def prod(input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """Return the product over `dim`; its gradient is exact with zeros."""
    return np_call(np.prod, lift(input), axis=dim, keepdims=keepdim, dtype=dtype)


def _correction(unbiased: bool | None, correction: Any) -> Any:
    if unbiased is not None:
        return 1 if unbiased else 0
    return 1 if correction is None else correction


def var(
    input: Any,
    dim: Any = None,
    unbiased: bool | None = None,
    keepdim: bool = False,
    *,
    correction: Any = None,
) -> Any:
    """Return the variance over `dim`, divided by n - 1 unless told otherwise."""
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    ddof = _correction(unbiased, correction)
    return np_call(np.var, lift(input), axis=axis_of(dim), ddof=ddof, keepdims=keepdim)


def std(
    input: Any,
    dim: Any = None,
    unbiased: bool | None = None,
    keepdim: bool = False,
    *,
    correction: Any = None,
) -> Any:
    """Return the standard deviation over `dim`, divided by n - 1 unless told otherwise."""
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    ddof = _correction(unbiased, correction)
    return np_call(np.std, lift(input), axis=axis_of(dim), ddof=ddof, keepdims=keepdim)


def amax(input: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """Return the largest elements; equal ones share the gradient."""
    return np_call(np.max, lift(input), axis=axis_of(dim), keepdims=keepdim)


def amin(input: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """Return the smallest elements; equal ones share the gradient."""
    return np_call(np.min, lift(input), axis=axis_of(dim), keepdims=keepdim)


def _picked(x: Any, index: Any, dim: int, keepdim: bool) -> Pair:
    """Return the elements of `x` at `index`, one along `dim`, and the index."""
    if x.ndim == 0:
        return Pair(x * 1, make(index))
    expanded = np.expand_dims(index, dim)
    values = np_call(np.take_along_axis, x, expanded, dim)
    if not keepdim:
        return Pair(np_call(np.squeeze, values, dim), make(index))
    return Pair(values, make(expanded))


def _extreme(input: Any, dim: Any, keepdim: bool, full: Any, pair: Any, index: Any) -> Any:
    x = lift(input)
    if dim is None:
        return np_call(full, x)
    if isinstance(dim, (Core, np.ndarray)):
        return np_call(pair, x, dim)
    return _picked(x, index(x._array, axis=dim if x.ndim else None), dim, keepdim)


def max(input: Any, dim: Any = None, keepdim: bool = False, *, other: Any = None) -> Any:
    """Return the largest element; along `dim`, values and indices; of two, the larger ones."""
    chosen = other if other is not None else dim
    return _extreme(input, chosen, keepdim, np.max, np.maximum, np.argmax)


def min(input: Any, dim: Any = None, keepdim: bool = False, *, other: Any = None) -> Any:
    """Return the smallest element; along `dim`, values and indices; of two, the smaller ones."""
    chosen = other if other is not None else dim
    return _extreme(input, chosen, keepdim, np.min, np.minimum, np.argmin)


def median(input: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """Return the median, the lower one of two; along `dim`, values and indices."""
    x = lift(input)
    if dim is None:
        flat = np_call(np.reshape, x, -1)
        return flat[int(np.argsort(flat._array, kind="stable")[(flat._array.size - 1) // 2])]
    order = np.argsort(x._array, axis=dim, kind="stable")
    index = np.take(order, (x._array.shape[dim] - 1) // 2, axis=dim)
    return _picked(x, index, dim, keepdim)


def sort(input: Any, dim: int = -1, descending: bool = False, stable: bool = False) -> Any:
    """Return the sorted values along `dim` and the indices that sort."""
    x = lift(input)
    index = np.argsort(-x._array if descending else x._array, axis=dim, kind="stable")
    return Pair(np_call(np.take_along_axis, x, index, dim), make(index))


def topk(input: Any, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Any:
    """Return the `k` largest (or smallest) values along `dim` and their indices."""
    values, indices = sort(input, dim, descending=largest)
    return Pair(narrow(values, dim, 0, k), narrow(indices, dim, 0, k))


def argsort(input: Any, dim: int = -1, descending: bool = False, stable: bool = False) -> Any:
    """Return the indices that sort along `dim`."""
    return sort(input, dim, descending).indices


def argmax(input: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """Return the index of the largest element."""
    return np_call(np.argmax, lift(input), axis=dim, keepdims=keepdim)


def argmin(input: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """Return the index of the smallest element."""
    return np_call(np.argmin, lift(input), axis=dim, keepdims=keepdim)


def all(input: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """Return whether every element is true."""
    return np_call(np.all, lift(input), axis=axis_of(dim), keepdims=keepdim)


def any(input: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """Return whether one element is true."""
    return np_call(np.any, lift(input), axis=axis_of(dim), keepdims=keepdim)


def cumsum(input: Any, dim: int) -> Any:
    """Return the running sums along `dim`."""
    return np_call(np.cumsum, lift(input), axis=dim)


def cumprod(input: Any, dim: int) -> Any:
    """Return the running products along `dim`."""
    return np_call(np.cumprod, lift(input), axis=dim)


def logsumexp(input: Any, dim: Any, keepdim: bool = False) -> Any:
    """Return ``log(sum(exp(input)))`` over `dim`, without overflow."""
    x, axis = lift(input), axis_of(dim)
    top = np.max(x._array, axis=axis, keepdims=True)
    top = np.where(np.isfinite(top), top, 0)
    total = np_call(np.sum, np_call(np.exp, x - top), axis=axis, keepdims=keepdim)
    return np_call(np.log, total) + (top if keepdim else np.squeeze(top, axis))


def softmax(input: Any, dim: int) -> Any:
    """Return ``exp(input) / sum(exp(input))`` along `dim`."""
    x = lift(input)
    return np_call(np.exp, x - logsumexp(x, dim, keepdim=True))


def log_softmax(input: Any, dim: int) -> Any:
    """Return the logarithm of `softmax`."""
    x = lift(input)
    return x - logsumexp(x, dim, keepdim=True)


def norm(input: Any, p: Any = "fro", dim: Any = None, keepdim: bool = False) -> Any:
    """Return the `p`-norm of the elements over `dim`; its derivative at 0 is 0."""
    x = lift(input)
    order = 2 if p in ("fro", None) else p
    if dim is None:
        dim = tuple(range(x.ndim))
    axes = (dim,) if isinstance(dim, int) else tuple(dim)
    return np_call(np.linalg.vector_norm, x, axis=axes, keepdims=keepdim, ord=order)
