"""Calculates derivatives of paths of differential equations, along the paths that were found."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import integrate

from srcgrad.errors import MissingRuleError
from srcgrad.runtime import on_tape
from srcgrad.runtime.scipy.implicit import (
    along,
    array_of,
    as_tuple,
    is_active,
    refuse_containers,
)

_EXACT = {"rtol": 1e-12, "atol": 1e-13}


def odeint_back(grad: Any, func: Any, path: Any, t: Any, args: Any) -> tuple[Any, Any, Any]:
    """Return the gradients of the start, the times and `args` of ``path = odeint(func, y0, t)``.

    The adjoint equation is integrated backwards, from each time to the one before, along the path.
    That is an equation like the first, so what differentiates it is this once more.
    """
    refuse_containers(args, (dict,))
    count = np.shape(path)[1]
    wanted = [is_active(item) for item in args]
    shapes = [np.shape(item) for item in args if is_active(item)]
    sizes = [int(np.prod(shape)) for shape in shapes]

    def backwards(state: Any, moment: Any, *args: Any) -> Any:
        y, costate = state[:count], state[count : 2 * count]
        value, pullback = on_tape(array_of(func), (True, False, *wanted), y, moment, *args)
        parts = as_tuple(pullback(costate))
        return np.concatenate([np.ravel(value), *(-np.ravel(part) for part in parts)])

    rest = np.zeros(count + sum(sizes))  # the adjoints of the state and of what is handed on
    grad_t = [np.zeros(()) for _ in range(len(t))]
    for k in range(len(t) - 1, 0, -1):
        costate = rest[:count] + grad[k]
        grad_t[k] = np.sum(grad[k] * _slope(func, path[k], t[k], args))
        state = np.concatenate([path[k], costate, rest[count:]])
        times = np.stack([t[k], t[k - 1]])
        rest = integrate.odeint(backwards, state, times, args, **_EXACT)[-1][count:]
    grad_t[0] = -np.sum(rest[:count] * _slope(func, path[0], t[0], args))
    parts = _parted(rest[count:], shapes)
    grad_args = tuple(next(parts) if flag else None for flag in wanted)
    return rest[:count] + grad[0], np.stack(grad_t), grad_args


def odeint_push(func: Any, path: Any, t: Any, args: Any, tangents: tuple[Any, Any, Any]) -> Any:
    """Return the tangent of a path, given those of its start, its times and `args`.

    The equation of the tangent is integrated along with the path, from each time to the next.
    """
    refuse_containers(args, (dict,))
    start, t_dot, args_dot = tangents
    given = (None,) * len(args) if args_dot is None else as_tuple(args_dot)
    count, number = np.shape(path)[1], len(args)
    wanted = [is_active(item) for item in args]
    varying = [
        np.zeros(np.shape(item)) if way is None else way
        for way, item in zip(given, args, strict=True)
        if is_active(item)
    ]

    def forwards(state: Any, moment: Any, *args: Any) -> Any:
        y, y_dot = state[:count], state[count:]
        active = (True, False, *wanted)
        value, pullback = on_tape(array_of(func), active, y, moment, *args[:number])
        rows = [as_tuple(pullback(unit)) for unit in np.eye(count)]
        slopes = np.stack([along(row, (y_dot, *args[number:])) for row in rows])
        return np.concatenate([np.ravel(value), slopes])

    moved = np.zeros(len(t)) if t_dot is None else t_dot
    dot = np.zeros(count) if start is None else start * np.ones(count)
    tangent = [dot]
    dot = dot - _slope(func, path[0], t[0], args) * moved[0]
    for k in range(1, len(t)):
        state, times = np.concatenate([path[k - 1], dot]), np.stack([t[k - 1], t[k]])
        ends = integrate.odeint(forwards, state, times, (*args, *varying), **_EXACT)
        dot = ends[-1][count:]
        tangent.append(dot + _slope(func, path[k], t[k], args) * moved[k])
    return np.stack(tangent)


def _slope(func: Any, y: Any, t: Any, handed: tuple[Any, ...]) -> Any:
    """Return the right side of an equation at a point of its path, as an array."""
    found = array_of(func)(y, t, *handed)
    return np.ravel(found)


def _parted(vector: Any, shapes: list[Any]) -> Iterator[Any]:
    """Yield the parts of a vector in the shapes that they have."""
    place = 0
    for shape in shapes:
        size = int(np.prod(shape))
        part = vector[place : place + size]
        yield np.reshape(part, shape) if shape else part[0]
        place += size


def trajectory_back(
    grad: Any, func: Any, found: Any, points: tuple[Any, Any, Any], args: Any
) -> tuple[Any, Any]:
    """Return the gradients of the start and of `args` of what `solve_ivp` finds.

    The `points` are the start, the ends and the times; the times are held.
    """
    path, t, shown = _with_start(found, points)
    rows = np.transpose(grad)
    rows = rows if shown else np.concatenate([np.zeros((1, rows.shape[1])), rows])
    grad_y0, _, grad_args = odeint_back(rows, _turned(func), path, t, args)
    return grad_y0, grad_args


def trajectory_push(
    func: Any, found: Any, points: tuple[Any, Any, Any], args: Any, tangents: tuple[Any, Any]
) -> Any:
    """Return the tangent of what `solve_ivp` finds, given those of the start and of `args`."""
    path, t, shown = _with_start(found, points)
    y0_dot, args_dot = tangents
    rows = odeint_push(_turned(func), path, t, args, (y0_dot, None, args_dot))
    return np.transpose(rows if shown else rows[1:])


def _turned(func: Any) -> Any:
    return lambda y, t, *args: func(t, y, *args)


def _with_start(found: Any, points: tuple[Any, Any, Any]) -> tuple[Any, Any, bool]:
    """Return a path and its times from the start on, and whether the start is one of them."""
    y0, span, t = points
    path = np.transpose(found)
    if path.dtype.kind == "c":
        raise MissingRuleError(
            "`solve_ivp` has no derivative rule for complex numbers",
            hint="integrate real and imaginary parts",
        )
    if t[0] == span[0]:
        return path, t, True
    start = np.stack(y0) if isinstance(y0, (list, tuple)) else y0
    start = np.reshape(start, (1, path.shape[1])) * 1.0
    return np.concatenate([start, path]), np.append(span[0], t), False
