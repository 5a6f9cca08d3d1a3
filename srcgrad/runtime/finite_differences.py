"""Derivatives of ``np.gradient``, in the values and in the distances.

Along one axis it takes the slopes between neighbours. A point within gets the mean of the slopes
on both sides, each weighted by the distance on the other side; an end gets the slope beside it, or
with ``edge_order=2`` twice that slope less what its neighbour got: the slope of the parabola.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.runtime.calculus import undo_diff
from srcgrad.runtime.complex_parts import conj


def gradient_back(
    grads: Any, f: Any, distances: Any, axis: Any, edge_order: int, wanted: Any
) -> tuple[Any, ...]:
    """Return the gradients of the values of ``np.gradient`` and of its distances or coordinates."""
    total: Any = None
    of_steps: list[Any] = [None] * len(distances)
    for grad, (place, i, step) in zip(grads, _axes(f, distances, axis), strict=True):
        if grad is None:
            continue
        rows, inner = np.moveaxis(f, i, -1), np.moveaxis(grad, i, -1)
        of_slopes, of_share = _back_to_slopes(inner, conj(_share(_widths(step))), edge_order)
        part = np.moveaxis(undo_diff(of_slopes / conj(_widths(step)), -1), -1, i)
        total = part if total is None else total + part
        if distances and wanted[1 + place]:
            part = _back_to_step(of_slopes, of_share, rows, step)
            of_steps[place] = part if of_steps[place] is None else of_steps[place] + part
    return (total, *of_steps)


def gradient_push(dots: Any, f: Any, distances: Any, axis: Any, edge_order: int) -> Any:
    """Return the tangents of ``np.gradient`` from those of its values and distances."""
    f_dot, *of_steps = dots
    found = []
    for place, i, step in _axes(f, distances, axis):
        step_dot = of_steps[place] if distances else None
        widths = _widths(step)
        slopes = np.diff(np.moveaxis(f, i, -1)) / widths
        of_slopes = np.zeros_like(slopes)
        if f_dot is not None:
            of_slopes = np.diff(np.moveaxis(f_dot, i, -1)) / widths
        of_share: Any = 0.0
        if step_dot is not None:
            of_slopes = of_slopes - slopes * _widths(step_dot) / widths
            of_share = _share_push(widths, _widths(step_dot))
        inner = _mean(of_slopes, _share(widths)) + of_share * (slopes[..., :-1] - slopes[..., 1:])
        first, last = of_slopes[..., :1], of_slopes[..., -1:]
        if edge_order != 1:  # as NumPy asks
            first, last = 2 * first - inner[..., :1], 2 * last - inner[..., -1:]
        found.append(np.moveaxis(np.concatenate([first, inner, last], axis=-1), -1, i))
    return found[0] if len(found) == 1 else tuple(found)


def gradient_each(f_dot: Any, distances: Any, axis: Any, edge_order: int) -> list[Any]:
    """Return ``np.gradient(f_dot, *distances)``, of one axis in a list, too."""
    found = np.gradient(f_dot, *distances, axis=axis, edge_order=edge_order)
    return list(found) if isinstance(found, (list, tuple)) else [found]


def _axes(f: Any, distances: Any, axis: Any) -> list[tuple[int, int, Any]]:
    """Return for each axis the place of its distance, its number and its distance."""
    axes = range(np.ndim(f)) if axis is None else [axis] if np.ndim(axis) == 0 else list(axis)
    steps = list(distances) or [1.0]
    last = len(steps) - 1
    return [(min(n, last), i, steps[min(n, last)]) for n, i in enumerate(axes)]


def _widths(step: Any) -> Any:
    return np.diff(step) if np.ndim(step) else step


def _share(widths: Any) -> Any:
    """Return which part of its derivative each point within takes from the slope before it."""
    return widths[1:] / (widths[1:] + widths[:-1]) if np.ndim(widths) else 0.5


def _share_push(widths: Any, dots: Any) -> Any:
    if np.ndim(widths) == 0:
        return 0.0
    before, after = widths[:-1], widths[1:]
    return (dots[1:] * before - after * dots[:-1]) / (before + after) ** 2


def _mean(slopes: Any, share: Any) -> Any:
    return share * slopes[..., :-1] + (1 - share) * slopes[..., 1:]


def _back_to_slopes(grad: Any, share: Any, edge_order: int) -> tuple[Any, Any]:
    """Return the gradients of the slopes, and what the shares are multiplied by."""
    first, inner, last = grad[..., :1], grad[..., 1:-1], grad[..., -1:]
    if edge_order != 1:
        none = np.zeros_like(inner[..., 1:])
        inner = inner - np.concatenate([first, none], axis=-1)
        inner = inner - np.concatenate([none, last], axis=-1)
        first, last = 2 * first, 2 * last
    before = np.concatenate([share * inner, last], axis=-1)
    after = np.concatenate([first, (1 - share) * inner], axis=-1)
    return before + after, inner


def _back_to_step(of_slopes: Any, of_share: Any, rows: Any, step: Any) -> Any:
    """Return the gradient of one distance, or of coordinates."""
    widths = _widths(step)
    slopes = np.diff(rows) / widths
    of_widths = -of_slopes * conj(slopes / widths)
    if np.ndim(step) == 0:
        return np.sum(of_widths)
    leading = tuple(range(np.ndim(rows) - 1))
    before, after = conj(widths[:-1]), conj(widths[1:])
    turn = of_share * conj(slopes[..., :-1] - slopes[..., 1:])
    turn = np.sum(turn, axis=leading) / (before + after) ** 2
    none = np.zeros_like(widths[:1])
    moved = np.concatenate([none, turn * before]) - np.concatenate([turn * after, none])
    return undo_diff(np.sum(of_widths, axis=leading) + moved, -1)
