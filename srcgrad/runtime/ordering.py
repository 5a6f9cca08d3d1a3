"""Adjoints of order statistics."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from srcgrad.errors import MissingRuleError
from srcgrad.runtime.dispatch import beside
from srcgrad.runtime.gathering import put_along_axis, take_along
from srcgrad.runtime.reducing import cast_like


def as_rows(a: Any, axis: Any) -> tuple[Any, list[int]]:
    """Return `a` with the axes of a reduction as one axis at the end, and the order of its axes."""
    rank = np.ndim(a)
    axes = range(rank) if axis is None else axis if isinstance(axis, (tuple, list)) else (axis,)
    reduced = [i % rank for i in axes]
    order = [i for i in range(rank) if i not in reduced]
    order = [*order, *reduced]
    moved = np.transpose(a, order)
    kept = moved.shape[: rank - len(reduced)]
    return np.reshape(moved, (*kept, math.prod(moved.shape[len(kept) :]))), order


def from_rows(rows: Any, shape: Any, order: list[int]) -> Any:
    """Undo `as_rows` for an array of the same shape."""
    moved = np.reshape(rows, [shape[i] for i in order])
    return np.transpose(moved, np.argsort(order).tolist())


def quantile_back(
    grad: Any, a: Any, q: Any, axis: Any, method: tuple[str, bool, bool], top: float
) -> tuple[Any, Any]:
    """Return the gradients of `a` and of `q` (for the linear method) in a quantile.

    `top` is the q of the largest value, 1 or 100.
    A quantile lies between two neighbours in rising order. Where, the same quantile of their places
    0, 1, 2, ... tells, whatever the method.
    """
    name, skips_nan, unweighted = method
    if not unweighted:
        raise MissingRuleError(
            "weighted quantiles have no derivative rule", hint="leave the weights out"
        )
    rows, order = as_rows(a, axis)
    if not rows.shape[-1]:  # of which the median is NaN
        return np.zeros_like(a), np.zeros(np.shape(q))
    levels = beside(np.ravel(q), rows) / top
    sources = _sources(rows, levels, name, skips_nan)
    ranked = np.take_along_axis(rows, sources, -1)
    level = np.shape(q)
    grads = np.reshape(grad, (math.prod(level), *rows.shape[:-1]))
    below, above, share = _neighbours(ranked, levels, name, skips_nan)
    total = np.zeros_like(rows)
    slopes = []
    for place in range(len(below)):
        part = grads[place]
        low, high = np.expand_dims(below[place], -1), np.expand_dims(above[place], -1)
        fraction = cast_like(share[place], rows)
        total = total + spread_pair(part, fraction, sources, low, high)
        gap = np.take_along_axis(ranked, high, -1) - np.take_along_axis(ranked, low, -1)
        moves = _moves(_density(ranked, name, skips_nan), below[place], share[place], name)
        slopes.append(np.sum(part * np.squeeze(gap, -1) * moves))
    return from_rows(total, np.shape(a), order), _stacked(slopes, rows, level) / top


def quantile_push(  # noqa: PLR0913, PLR0917 - as many as the function has options
    dots: tuple[Any, Any],
    a: Any,
    q: Any,
    axis: Any,
    method: tuple[str, bool, bool],
    keepdims: bool,
    top: float,
) -> Any:
    """Return the tangent of a quantile from those of `a` and of `q`; None stands for zeros."""
    name, skips_nan, unweighted = method
    if not unweighted:
        raise MissingRuleError(
            "weighted quantiles have no derivative rule", hint="leave the weights out"
        )
    (a_dot, q_dot), level = dots, np.shape(q)
    rows, order = as_rows(a, axis)
    if not rows.shape[-1]:
        return np.sum(a, axis, keepdims=keepdims) + np.nan
    levels = beside(np.ravel(q), rows) / top
    sources = _sources(rows, levels, name, skips_nan)
    ranked = np.take_along_axis(rows, sources, -1)
    below, above, share = (
        np.moveaxis(part, 0, -1) for part in _neighbours(ranked, levels, name, skips_nan)
    )
    share = cast_like(share, rows)
    total: Any = 0.0
    if a_dot is not None:
        moved = np.take_along_axis(as_rows(a_dot, axis)[0], sources, -1)
        low, high = take_along(moved, below, -1), take_along(moved, above, -1)
        total = np.where(share == 0, low, (1 - share) * low + share * high)
    if q_dot is not None:
        gap = take_along(ranked, above, -1) - take_along(ranked, below, -1)
        density = np.expand_dims(_density(ranked, name, skips_nan), -1)
        moves = _moves(density, below, share, name)
        total = total + gap * moves * np.ravel(q_dot) / top
    kept = rows.shape[:-1]
    if keepdims:
        kept = tuple(n if i in order[: len(kept)] else 1 for i, n in enumerate(np.shape(a)))
    return np.reshape(np.moveaxis(total, -1, 0), (*level, *kept))


def _stacked(numbers: list[Any], like: Any, shape: Any) -> Any:
    """Return numbers, if there are any, as an array of a shape."""
    flat = np.stack(numbers) if numbers else np.zeros_like(like, shape=(0,))
    return np.reshape(flat, shape)


def _sources(rows: Any, levels: Any, name: str, skips_nan: bool) -> Any:
    """Return the places of elements, in rising order as far as the quantiles need; NaN is last."""
    count = np.shape(rows)[-1]
    if skips_nan or not count:
        return np.argsort(rows, axis=-1)
    below = np.floor(_positions(count, levels, name)).astype(int)
    return np.argpartition(rows, np.append(below, np.minimum(below + 1, count - 1)), axis=-1)


def _positions(count: int, levels: Any, name: str) -> Any:
    """Return where quantiles of so many elements lie: between the places of their neighbours."""
    if name == "linear":
        return levels * (count - 1)
    return np.quantile(beside(np.arange(float(count)), levels), levels, method=name)


def _neighbours(ranked: Any, levels: Any, name: str, skips_nan: bool) -> tuple[Any, Any, Any]:
    """Return the places of both neighbours of each quantile, and the share of the upper one."""
    count = ranked.shape[-1]
    if skips_nan and name == "linear":  # without `nanquantile`, which CuPy does not have
        last = np.maximum(np.sum(~np.isnan(ranked), axis=-1) - 1, 0)
        where = np.multiply.outer(np.ravel(levels), last)
    elif skips_nan:
        steps = beside(np.arange(float(count)), ranked)
        filled = np.where(np.isnan(ranked), np.nan, steps)
        where = np.nanquantile(filled, levels, axis=-1, method=name)
    else:
        level = np.reshape(_positions(count, levels, name), (-1,) + (1,) * (ranked.ndim - 1))
        where = np.broadcast_to(level, (len(level), *ranked.shape[:-1]))
    below = np.clip(np.floor(np.nan_to_num(where)).astype(int), 0, count - 1)
    above = np.minimum(below + 1, count - 1)
    return below, above, np.nan_to_num(where) - below


_MORE: Mapping[str, float] = {  # how many places q moves through from 0 to 1, beyond the count
    "linear": -1.0,
    "interpolated_inverted_cdf": 0.0,
    "hazen": 0.0,
    "weibull": 1.0,
    "median_unbiased": 1 / 3,
    "normal_unbiased": 1 / 4,
}


def _density(ranked: Any, name: str, skips_nan: bool) -> Any:
    """Return how many places a quantile moves as q moves by 1: none if the method jumps."""
    if name not in _MORE:
        return 0
    count = np.sum(~np.isnan(ranked), axis=-1) if skips_nan else ranked.shape[-1]
    return cast_like(count + _MORE[name], ranked)


def _moves(density: Any, below: Any, share: Any, name: str) -> Any:
    """Return by how many places a quantile moves: those that are not linear stay at the ends."""
    return density if name == "linear" else density * ((below > 0) | (share > 0))


def spread_pair(grad: Any, share: Any, sources: Any, low: Any, high: Any) -> Any:
    """Give `grad` to two neighbours in rising order, by `share` to the upper one."""
    grad, share = np.expand_dims(grad, -1), np.expand_dims(share, -1)
    shape = sources.shape
    upper = np.take_along_axis(sources, high, -1)
    lower = np.take_along_axis(sources, low, -1)
    return put_along_axis(grad * share, upper, shape, -1) + put_along_axis(
        grad * (1 - share), lower, shape, -1
    )
