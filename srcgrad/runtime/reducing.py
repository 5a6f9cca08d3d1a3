"""Adjoints of reductions over axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.errors import MissingRuleError
from srcgrad.runtime.broadcasting import expand_reduced, kept, reduced_size, unbroadcast
from srcgrad.runtime.complex_parts import conj, real_part
from srcgrad.runtime.cumulating import others_product
from srcgrad.runtime.dispatch import array_beside, beside, hand_over, records
from srcgrad.runtime.elements import has_axes_elsewhere


def given(*, where: Any = True, **options: Any) -> dict[str, Any]:
    """Return the options that are not None, and `where` if it is not True; others stay unsaid."""
    said = {name: value for name, value in options.items() if value is not None}
    return said if where is True else {**said, "where": where}


def cast_like(value: Any, grad: Any) -> Any:
    """Return the array `value` in the precision of `grad`, so that a product keeps it."""
    dtype = getattr(grad, "dtype", None)
    if dtype is None or dtype.kind not in "fc":
        return value
    array = value if hasattr(value, "astype") else np.asarray(value)
    return beside(array.astype(dtype), grad)


def written_over(old: Any, new: Any) -> Any:
    """Return `new`, the result of an update in place of `old`, as NumPy would have written it.

    An array keeps its shape and type by ``old += v``; what does not fit NumPy refuses, as here.
    """
    if (type(old) is not np.ndarray and not has_axes_elsewhere(old)) or not hasattr(new, "dtype"):
        return new
    if old.dtype == new.dtype and old.shape == new.shape:
        return np.array(new) if isinstance(new, np.generic) else new  # of arrays without axes
    if records(new):
        return hand_over(written_over, new, (old, new))
    held = np.empty_like(old)
    if new.dtype.kind in "iufc":
        return np.positive(new, out=held)  # which refuses what an update refuses
    np.copyto(held, new, casting="same_kind")
    return held


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
    grad: Any,
    a: Any,
    extreme: Any,
    axis: Any = None,
    keepdims: bool = False,
    where: Any = True,
) -> Any:
    """Give `grad` to the elements of `a` equal to `extreme`, split evenly among them.

    `extreme` is the largest or smallest of `a` along `axis`.
    """
    if np.ndim(a) == 0:
        axis = None
    chosen = np.equal(a, kept(extreme, axis, keepdims))
    if where is not True:
        chosen = np.logical_and(chosen, where)
    if axis is None:
        count = np.count_nonzero(chosen)
    elif type(chosen) is np.ndarray:
        count = np.add.reduce(chosen, axis=axis, keepdims=keepdims, dtype=np.intp)
    else:
        count = np.sum(chosen, axis=axis, keepdims=keepdims)
    share = kept(grad / cast_like(np.maximum(count, 1), grad), axis, keepdims)
    return np.where(chosen, share, 0 * share)


def numbers(a: Any, where: Any = True) -> Any:
    """Return where `a` is not NaN, within `where`."""
    return np.logical_and(np.logical_not(np.isnan(a)), where)


def prod_back(grad: Any, a: Any, where: Any, initial: Any, axis: Any, keepdims: bool) -> Any:
    """Give each element of `a` the product of the others, times `grad`; exact with zeros."""
    full = expand_reduced(
        grad if initial is None else grad * conj(initial), np.shape(a), axis, keepdims
    )
    if where is True:
        return full * conj(others_product(a, axis))
    return np.where(where, full * conj(others_product(np.where(where, a, 1), axis)), 0)


def prod_initial_back(
    grad: Any, a: Any, where: Any, initial: Any, axis: Any, keepdims: bool
) -> Any:
    """Return the gradient of what a product started from, if it was given."""
    if initial is None:
        return None
    factors = a if where is True else np.where(where, a, 1)
    return np.sum(grad * conj(np.prod(factors, axis=axis, keepdims=keepdims)))


def var_back(  # noqa: PLR0913, PLR0917 - as many as the function has options
    grad: Any, a: Any, where: Any, mean: Any, axis: Any, keepdims: bool, ddof: float
) -> Any:
    """Give each element of `a` its part in a variance with `ddof` degrees of freedom less.

    Raises:
        MissingRuleError: `a` is real and `mean` complex: NumPy squares without a modulus then.
    """
    if np.iscomplexobj(mean) and not np.iscomplexobj(a):
        raise MissingRuleError(
            "the variance of real numbers around a complex `mean` has no derivative rule",
            hint="make the numbers complex too, or write np.mean((a - mean) ** 2)",
        )
    grad = real_part(grad)
    if where is True:
        middle = np.mean(a, axis=axis, keepdims=True) if mean is None else mean
        count = reduced_size(np.shape(a), axis) - ddof
        return expand_reduced(2 * grad / count, np.shape(a), axis, keepdims) * (a - middle)
    clean = np.where(where, a, 0)
    number = np.sum(np.broadcast_to(where, np.shape(a)), axis=axis, keepdims=True)
    middle = np.sum(clean, axis=axis, keepdims=True) / cast_like(number, grad)
    slope = 2 * (clean - (middle if mean is None else mean)) / cast_like(number - ddof, grad)
    return np.where(where, expand_reduced(grad, np.shape(a), axis, keepdims) * slope, 0.0)


def average_back(
    grad: Any, grad_total: Any, a: Any, weights: Any, axis: Any, keepdims: bool
) -> tuple[Any, Any]:
    """Return the gradients of `a` and `weights` in a weighted average and its sum of weights."""
    shape = np.shape(a)
    if weights is None:
        return (None if grad is None else expand_mean(grad, shape, axis, keepdims)), None
    weights = array_beside(weights, a)
    aligned = np.shape(weights) == shape
    spread = weights if aligned else along(weights, shape, axis)
    total = np.sum(np.broadcast_to(spread, shape), axis=axis, keepdims=True)
    grad_a, grad_spread = None, 0 * spread
    if grad is not None:
        full = expand_reduced(grad, shape, axis, keepdims)
        middle = np.sum(a * spread, axis=axis, keepdims=True) / total
        grad_a = full * conj(spread / total)
        grad_spread = full * conj((a - middle) / total)
    if grad_total is not None:
        grad_spread = grad_spread + expand_reduced(grad_total, shape, axis, keepdims)
    part = unbroadcast(grad_spread, np.shape(spread))
    return grad_a, part if aligned else along_back(part, np.shape(weights), axis, len(shape))


def along(weights: Any, shape: Any, axis: Any) -> Any:
    """Return weights of the reduced axes, as `np.average` takes them, with all axes in place."""
    axes, order = _rising(axis, len(shape))
    ordered = np.transpose(weights, order)
    return np.reshape(ordered, tuple(n if i in axes else 1 for i, n in enumerate(shape)))


def along_back(grad: Any, shape: Any, axis: Any, rank: int) -> Any:
    """Undo `along`."""
    _, order = _rising(axis, rank)
    ordered = np.reshape(grad, [shape[place] for place in order])
    return np.transpose(ordered, np.argsort(order).tolist())


def _rising(axis: Any, rank: int) -> tuple[list[int], list[int]]:
    """Return the axes of a reduction, none of them negative, and the order in which they rise."""
    axes = [i % rank for i in (axis if isinstance(axis, tuple) else (axis,))]
    return axes, sorted(range(len(axes)), key=lambda place: axes[place])


def logaddexp_back(grad: Any, a: Any, y: Any, axis: Any, keepdims: bool, where: Any) -> Any:
    """Give each element of `a` its share e**(a - y) of a sum of exponentials ``e**y``."""
    share = np.exp(a - (kept(y, axis, keepdims) if np.ndim(a) else y))
    full = expand_reduced(grad, np.shape(a), axis, keepdims) * share
    return full if where is True else np.where(where, full, 0.0)


def sum_trailing(grad: Any, shape: Any) -> Any:
    """Sum `grad` over all axes behind the first ones, which have the given shape."""
    return np.sum(grad, axis=tuple(range(len(shape), np.ndim(grad))))


def across(a: Any, b: Any) -> Any:
    """Return `a` with one more axis of length one for each axis of `b`."""
    return np.reshape(a, np.shape(a) + (1,) * np.ndim(b))
