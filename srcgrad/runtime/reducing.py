"""Adjoints of reductions over axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.runtime.broadcasting import expand_reduced, kept, reduced_size


def given(**options: Any) -> dict[str, Any]:
    """Return the options that differ from their defaults None and True, which need not be passed."""
    return {
        name: value for name, value in options.items() if value is not None and value is not True
    }


def cast_like(value: Any, grad: Any) -> Any:
    """Return the array `value` in the precision of `grad`, so that a product keeps it."""
    dtype = getattr(grad, "dtype", None)
    return value if dtype is None or dtype.kind not in "fc" else np.asarray(value).astype(dtype)


def expand_sum(grad: Any, shape: Any, axis: Any, keepdims: bool, where: Any = True) -> Any:
    """Give `grad` to each element that a sum over `axis` has added."""
    full = expand_reduced(grad, shape, axis, keepdims)
    return full if where is True else np.where(where, full, 0 * full)


def expand_mean(grad: Any, shape: Any, axis: Any, keepdims: bool, where: Any = True) -> Any:
    """Give its share of `grad` to each element of a mean over `axis`."""
    if where is True:
        return expand_reduced(grad / reduced_size(shape, axis), shape, axis, keepdims)
    count = np.sum(np.broadcast_to(where, shape), axis=axis, keepdims=keepdims)
    return expand_sum(grad / cast_like(count, grad), shape, axis, keepdims, where)


def share_among_ties(
    grad: Any, a: Any, extreme: Any, axis: Any, keepdims: bool, where: Any = True
) -> Any:
    """Give `grad` to the elements of `a` equal to `extreme`, split evenly among them.

    `extreme` is the largest or smallest of `a` along `axis`.
    """
    chosen = np.equal(a, kept(extreme, axis, keepdims))
    if where is not True:
        chosen = np.logical_and(chosen, where)
    count = np.sum(chosen, axis=axis, keepdims=keepdims)
    share = kept(grad / cast_like(np.maximum(count, 1), grad), axis, keepdims)
    return np.where(chosen, share, 0 * share)
