"""Adjoints of differences, integrals and interpolation."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from srcgrad.runtime.broadcasting import unbroadcast
from srcgrad.runtime.complex_parts import conj, real_part
from srcgrad.runtime.dispatch import array_beside, beside
from srcgrad.runtime.indexing import scatter


def undo_diff(grad: Any, axis: int) -> Any:
    """Return the adjoint of one difference: minus the same with zeros at both ends."""
    shape = [1 if i == axis % np.ndim(grad) else n for i, n in enumerate(np.shape(grad))]
    end = np.zeros_like(grad, shape=tuple(shape))
    return np.concatenate([end, grad], axis=axis) - np.concatenate([grad, end], axis=axis)


def diff_back(grad: Any, shapes: Any, n: int, axis: int) -> tuple[Any, ...]:
    """Return the gradients of the arguments of ``np.diff``."""
    if n == 0:  # what would be put before and behind is not
        return grad, *(
            None if shape is None else np.zeros_like(grad, shape=shape) for shape in shapes[::2]
        )
    before, middle, after = shapes
    for _ in range(n):
        grad = undo_diff(grad, axis)
    axis %= len(middle)
    extents = [0 if s is None else s[axis] if s else 1 for s in (before, middle, after)]
    ends = np.cumsum(extents).tolist()
    lead = (slice(None),) * axis
    parts = [
        None if shape is None else grad[(*lead, slice(end - extent, end))]
        for shape, extent, end in zip(shapes, extents, ends, strict=True)
    ]
    first, main, last = (
        None if part is None else unbroadcast(part, shape)
        for part, shape in zip(parts, shapes, strict=True)
    )
    return main, first, last


def diff_push(parts: Any, shapes: Any, n: int, axis: int) -> Any:
    """Return the tangent of ``np.diff`` from those of its arrays, in the order of `diff_back`."""
    middle, before, after = parts
    given = {"prepend": before, "append": after}
    known = {"prepend": shapes[0], "append": shapes[2]}
    ends = {name: part for name, part in given.items() if known[name] is not None}
    return np.diff(middle, n, axis, **ends)


def ediff1d_back(grad: Any, shape: Any, end: Any, begin: Any) -> tuple[Any, ...]:
    """Return the gradients of the arguments of ``np.ediff1d``."""
    size = math.prod(shape)
    count = max(size - 1, 0)
    start = 0 if begin is None else math.prod(begin)
    middle = undo_diff(grad[start : start + count], 0)[:size]
    of_end = None if end is None else np.reshape(grad[start + count :], end)
    of_begin = None if begin is None else np.reshape(grad[:start], begin)
    return np.reshape(middle, shape), of_end, of_begin


def trapezoid_back(grad: Any, values: Any, axis: int) -> tuple[Any, Any, Any]:
    """Return the gradients of the values, points and distance of ``np.trapezoid``."""
    y, x, dx = values
    rows = np.moveaxis(y, axis, -1)
    if rows.shape[-1] == 0 and x is None:
        return np.zeros_like(y), None, 0.0 * dx
    if rows.shape[-1] == 0:
        return np.zeros_like(y), 0.0 * x, None
    full = np.expand_dims(grad, -1)
    if x is None:
        widths, grad_x = dx, None
    else:
        points = np.moveaxis(x, axis, -1) if np.ndim(x) > 1 else x
        widths = np.diff(points, axis=-1)
    means = (rows[..., 1:] + rows[..., :-1]) / 2
    share = unbroadcast(full * conj(widths) / 2 + 0 * means, np.shape(means))
    ends = [(0, 0)] * (np.ndim(rows) - 1)
    grad_rows = np.pad(share, [*ends, (0, 1)]) + np.pad(share, [*ends, (1, 0)])
    grad_y = np.moveaxis(grad_rows, -1, axis)
    of_widths = full * conj(means)
    if x is None:
        return grad_y, None, unbroadcast(of_widths, np.shape(dx))
    grad_x = undo_diff(unbroadcast(of_widths, np.shape(widths)), -1)
    return grad_y, np.moveaxis(grad_x, -1, axis) if np.ndim(x) > 1 else grad_x, None


def interp_back(grad: Any, values: Any, options: Any) -> tuple[Any, ...]:
    """Return the gradients of the points and both coordinates of the line of ``np.interp``."""
    x, xp, fp = values
    x, xp, fp = array_beside(x, grad), array_beside(xp, grad), array_beside(fp, grad)
    left, right = options
    has_left, has_right = left is not None, right is not None
    last = len(xp) - 1
    place = np.clip(np.searchsorted(xp, x, "right") - 1, 0, max(last - 1, 0))
    after = np.minimum(place + 1, last)
    width, rise = xp[after] - xp[place], fp[after] - fp[place]
    share = np.clip((x - xp[place]) / np.where(width == 0, 1, width), 0, 1)
    inside = np.logical_and(x >= xp[0], x <= xp[last])
    slope = np.where(inside, grad * conj(rise) / np.where(width == 0, 1, width), 0)
    before, beyond = x < xp[0], x > xp[last]
    replaced = np.logical_or(np.logical_and(before, has_left), np.logical_and(beyond, has_right))
    of_fp = np.where(replaced, 0, grad)
    shape = np.shape(xp)
    # of a value and of a shift, one end of a piece has the part (1 - share), the other share
    grad_xp = _pair(-slope * (1 - share), -slope * share, place, after, shape)
    grad_fp = _pair(of_fp * (1 - share), of_fp * share, place, after, shape)
    grad_left = np.sum(np.where(before, grad, 0)) if has_left else None
    grad_right = np.sum(np.where(beyond, grad, 0)) if has_right else None
    return slope, grad_xp, grad_fp, grad_left, grad_right


def interp_push(dots: Any, values: Any, options: Any) -> Any:
    """Return the tangent of ``np.interp`` from those of the points, the line and its ends."""
    x, xp, fp = (np.asarray(v) if isinstance(v, (list, tuple, range)) else v for v in values)
    x_dot, xp_dot, fp_dot, *ends = (np.asarray(0.0) if dot is None else dot for dot in dots)
    last = len(xp) - 1
    place = np.clip(np.searchsorted(xp, x, "right") - 1, 0, max(last - 1, 0))
    after = np.minimum(place + 1, last)
    width, rise = xp[after] - xp[place], fp[after] - fp[place]
    width = np.where(width == 0, 1, width)
    share = np.clip((x - xp[place]) / width, 0, 1)
    xp_dot, fp_dot = np.broadcast_to(xp_dot, xp.shape), np.broadcast_to(fp_dot, fp.shape)
    shift = x_dot - (1 - share) * xp_dot[place] - share * xp_dot[after]
    inside = np.logical_and(x >= xp[0], x <= xp[last])
    total = (1 - share) * fp_dot[place] + share * fp_dot[after]
    total = total + np.where(inside, shift * rise / width, 0)
    for outside, given, dot in zip((x < xp[0], x > xp[last]), options, ends, strict=True):
        total = total if given is None else np.where(outside, dot, total)
    return total


def _pair(first: Any, second: Any, place: Any, after: Any, shape: Any) -> Any:
    """Add two arrays at two lists of places of zeros."""
    place, after = np.reshape(place, np.shape(place)), np.reshape(after, np.shape(after))
    return scatter(first, place, shape) + scatter(second, after, shape)


def cov_back(grad: Any, m: Any, y: Any, options: Any) -> tuple[Any, ...]:
    """Return the gradients of the observations of ``np.cov``."""
    rowvar = options[0]
    rows = _variables(m, rowvar)
    both = rows if y is None else np.concatenate([rows, _variables(y, rowvar)])
    weights, total, degrees = _weights_of(both, options)
    deviation = both - np.sum(both * weights, axis=1, keepdims=True) / total
    square = np.reshape(grad, (len(both), len(both)))
    part = (square + conj(square).T) @ deviation * weights / degrees
    part = part - np.sum(part, axis=1, keepdims=True) * weights / total
    return _split_variables(part, m, y, rowvar)


def _weights_of(both: Any, options: Any) -> tuple[Any, Any, Any]:
    """Return the weights of observations, their sum, and what sums of squares are divided by."""
    _, bias, ddof, fweights, aweights = options
    weights = np.ones_like(both, shape=(both.shape[1],))
    weights = weights if fweights is None else weights * fweights
    weights = weights if aweights is None else weights * aweights
    total = np.sum(weights)
    ddof = (0 if bias else 1) if ddof is None else ddof
    loss = ddof * (np.sum(weights * aweights) / total if aweights is not None else 1)
    return weights, total, total - loss


def cov_push(dots: tuple[Any, Any], m: Any, y: Any, options: Any) -> Any:
    """Return the tangent of ``np.cov``; None stands for a tangent of zeros."""
    rowvar, (m_dot, y_dot) = options[0], dots
    both = _variables(m, rowvar)
    both_dot = 0 * both if m_dot is None else _variables(m_dot, rowvar)
    if y is not None:
        rows = _variables(y, rowvar)
        rows_dot = 0 * rows if y_dot is None else _variables(y_dot, rowvar)
        both, both_dot = np.concatenate([both, rows]), np.concatenate([both_dot, rows_dot])
    weights, total, degrees = _weights_of(both, options)
    deviation = both - np.sum(both * weights, axis=1, keepdims=True) / total
    change = (both_dot * weights) @ conj(deviation).T / degrees
    return np.squeeze(change + conj(change).T)


def corrcoef_push(dots: tuple[Any, Any], x: Any, y: Any, rowvar: bool) -> Any:
    """Return the tangent of ``np.corrcoef``; None stands for a tangent of zeros."""
    options = (rowvar, False, None, None, None)
    covariance = np.atleast_2d(np.cov(x, y, rowvar))
    change = np.reshape(cov_push(dots, x, y, options), covariance.shape)
    variances = real_part(np.diagonal(covariance))
    growth = real_part(np.diagonal(change)) / (2 * variances)
    sizes = np.sqrt(np.outer(variances, variances))
    both = growth[:, None] + growth[None, :]
    return np.squeeze((change - covariance * both) / sizes)


def corrcoef_back(grad: Any, x: Any, y: Any, rowvar: bool) -> tuple[Any, ...]:
    """Return the gradients of the observations of ``np.corrcoef``."""
    covariance = np.atleast_2d(np.cov(x, y, rowvar))
    size = np.sqrt(real_part(np.diagonal(covariance)))
    scale = 1 / np.outer(size, size)
    square = np.reshape(grad, covariance.shape)
    product = real_part(conj(square) * covariance) * scale
    of_variances = (np.sum(product, axis=0) + np.sum(product, axis=1)) / (2 * size * size)
    unit = beside(np.eye(len(size), dtype=bool), size)
    inner = square * scale - of_variances[:, None] * unit
    single = np.reshape(inner, np.shape(grad))
    grad_x, grad_y, *_ = cov_back(single, x, y, (rowvar, False, None, None, None))
    return grad_x, grad_y


def _variables(m: Any, rowvar: bool) -> Any:
    """Return observations as a matrix whose rows are the variables."""
    matrix = np.reshape(m, (1, -1)) if np.ndim(m) < 2 else m
    return matrix if rowvar or np.ndim(m) < 2 else matrix.T


def _split_variables(part: Any, m: Any, y: Any, rowvar: bool) -> tuple[Any, ...]:
    """Give both sets of observations their rows of a gradient."""
    count = 1 if np.ndim(m) < 2 else np.shape(m)[0 if rowvar else 1]
    of_m = _as_given(part[:count], m, rowvar)
    return of_m, None if y is None else _as_given(part[count:], y, rowvar)


def _as_given(rows: Any, of: Any, rowvar: bool) -> Any:
    """Return rows of variables in the shape of the observations that they came from."""
    turned = rows if rowvar or np.ndim(of) < 2 else rows.T
    return np.reshape(turned, np.shape(of))
