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
        step_dot = _dot_of(of_steps, place, step) if distances else None
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


def gradient_each(dots: Any, f: Any, distances: Any, axis: Any, edge_order: int) -> list[Any]:
    """Return `gradient_push` of each axis, of one axis in a list, too."""
    found = gradient_push(dots, f, distances, axis, edge_order)
    return list(found) if isinstance(found, tuple) else [found]


def gradient_again(
    parts: Any, grads: Any, f: Any, distances: Any, axis: Any, edge_order: int
) -> tuple[Any, list[Any]]:
    """Return the adjoints of values and distances of a gradient with the adjoints `parts`.

    The gradient is one of a number, so that these are its tangents along `parts`.
    """
    dots, wanted = (None, parts[0], parts[1:]), (True,) * (1 + len(distances))
    of_f, *of_steps = gradient_back_push(dots, grads, f, distances, (axis, edge_order, wanted))
    zeros = np.zeros_like(f) if of_f is None else of_f
    pairs = zip(of_steps, distances, strict=True)
    return zeros, [np.zeros_like(step) if part is None else part for part, step in pairs]


def gradient_back_push(
    dots: tuple[Any, Any, Any], grads: Any, f: Any, distances: Any, how: tuple[Any, int, Any]
) -> tuple[Any, ...]:
    """Return the tangents of ``gradient_back(grads, f, distances, *how)``."""
    grads_dot, f_dot, steps_dot = dots
    axis, edge_order, wanted = how
    found: list[Any] = [None] * (1 + len(distances))
    if grads_dot is not None:
        found = [*gradient_back(grads_dot, f, distances, *how)]
    if f_dot is not None:
        of_dot = gradient_back(grads, f_dot, distances, *how)
        found[1:] = map(_sum, found[1:], of_dot[1:])
    if steps_dot is None:
        return tuple(found)
    for grad, (place, i, step) in zip(grads, _axes(f, distances, axis), strict=True):
        step_dot = _dot_of(steps_dot, place, step) if distances else None
        if grad is None or step_dot is None:
            continue
        rows, inner = np.moveaxis(f, i, -1), np.moveaxis(grad, i, -1)
        of_f, of_step = _bent(inner, rows, step, step_dot, edge_order)
        found[0] = _sum(found[0], np.moveaxis(of_f, -1, i))
        if wanted[1 + place]:
            found[1 + place] = _sum(found[1 + place], of_step)
    return tuple(found)


def _bent(inner: Any, rows: Any, step: Any, dot: Any, edge_order: int) -> tuple[Any, Any]:
    """Return how the gradients of rows and of their distance move with the distance."""
    widths, moves = conj(_widths(step)), conj(_widths(dot))
    of_slopes, of_share = _back_to_slopes(inner, _share(widths), edge_order)
    turned = of_share * _share_push(widths, moves)
    none = np.zeros_like(inner[..., :1])
    before, after = np.concatenate([turned, none], -1), np.concatenate([none, turned], -1)
    of_slopes_dot = before - after
    of_rows = undo_diff(of_slopes_dot / widths - of_slopes * moves / widths**2, -1)
    slopes = conj(np.diff(rows)) / widths
    of_widths = -of_slopes_dot * slopes / widths + 2 * of_slopes * slopes * moves / widths**2
    if np.ndim(step) == 0:
        return of_rows, np.sum(of_widths)
    leading = tuple(range(np.ndim(rows) - 1))
    slopes_dot = -slopes * moves / widths
    total, before, after = widths[:-1] + widths[1:], widths[:-1], widths[1:]
    turn = np.sum(of_share * (slopes[..., :-1] - slopes[..., 1:]), axis=leading) / total**2
    turn_dot = np.sum(of_share * (slopes_dot[..., :-1] - slopes_dot[..., 1:]), axis=leading)
    turn_dot = turn_dot / total**2 - 2 * turn * (moves[:-1] + moves[1:]) / total
    none = np.zeros_like(widths[:1])
    later = np.concatenate([none, turn_dot * before + turn * moves[:-1]])
    sooner = np.concatenate([turn_dot * after + turn * moves[1:], none])
    return of_rows, undo_diff(np.sum(of_widths, axis=leading) + later - sooner, -1)


def _sum(one: Any, other: Any) -> Any:
    return other if one is None else one if other is None else one + other


def _axes(f: Any, distances: Any, axis: Any) -> list[tuple[int, int, Any]]:
    """Return for each axis the place of its distance, its number and its distance."""
    axes = range(np.ndim(f)) if axis is None else [axis] if np.ndim(axis) == 0 else list(axis)
    steps = list(distances) or [1.0]
    last = len(steps) - 1
    return [(min(n, last), i, steps[min(n, last)]) for n, i in enumerate(axes)]


def _dot_of(dots: Any, place: int, step: Any) -> Any:
    """Return the tangent of a distance; None where a number stands for the zeros of coordinates."""
    return dots[place] if np.ndim(dots[place]) == np.ndim(step) else None


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
