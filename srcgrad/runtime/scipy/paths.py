"""Calculates derivatives of paths of differential equations, along the paths that were found."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import integrate

from srcgrad.errors import MissingRuleError
from srcgrad.runtime import on_tape
from srcgrad.runtime.dispatch import records
from srcgrad.runtime.scipy.implicit import along, array_of, as_tuple, handed_on, is_active

_EXACT = {"rtol": 1e-12, "atol": 1e-13}


def odeint_back(grad: Any, func: Any, path: Any, t: Any, args: Any) -> tuple[Any, Any, Any]:
    """Return the gradients of the start, the times and `args` of ``path = odeint(func, y0, t)``.

    The adjoint equation is integrated backwards, from each time to the one before, along the path.
    """
    handed = handed_on(args)
    _refuse_what_records("odeint", (path, *handed))
    count = np.shape(path)[1]
    wanted = [is_active(item) for item in handed]
    active = (True, False, *wanted)
    shapes = [np.shape(item) for item in handed if is_active(item)]
    sizes = [int(np.prod(shape)) for shape in shapes]

    def backwards(state: Any, moment: Any) -> Any:
        y, costate = state[:count], state[count : 2 * count]
        value, pullback = on_tape(array_of(func), active, y, moment, *handed)
        parts = as_tuple(pullback(costate))
        return np.concatenate([np.asarray(value), *(-np.ravel(part) for part in parts)])

    state = np.zeros(2 * count + sum(sizes))
    grad_t = np.zeros(np.shape(t))
    for k in range(len(t) - 1, 0, -1):
        state[:count] = path[k]
        state[count : 2 * count] += grad[k]
        grad_t[k] = np.dot(grad[k], np.asarray(func(path[k], t[k], *handed)))
        grad_t[0] -= grad_t[k]
        end = integrate.odeint(backwards, state, [t[k], t[k - 1]], **_EXACT)
        state = np.array(end[-1])
    found, place = [], 2 * count
    for shape, size in zip(shapes, sizes, strict=True):
        part = np.reshape(state[place : place + size], shape)
        found.append(part if shape else part[()])
        place += size
    rest = iter(found)
    parts = tuple(next(rest) if flag else None for flag in wanted)
    grad_args = parts if isinstance(args, tuple) else parts[0]
    return state[count : 2 * count] + grad[0], grad_t, grad_args


def odeint_push(func: Any, path: Any, t: Any, args: Any, tangents: tuple[Any, Any, Any]) -> Any:
    """Return the tangent of a path, given those of its start, its times and `args`.

    The equation of the tangent is integrated along with the path, from each time to the next.
    """
    handed = handed_on(args)
    _refuse_what_records("odeint", (path, *handed))
    start, t_dot, args_dot = tangents
    given = (None,) * len(handed) if args_dot is None else as_tuple(args_dot)
    count = np.shape(path)[1]
    active = (True, False, *(is_active(item) for item in handed))
    varying = [g for g, item in zip(given, handed, strict=True) if is_active(item)]

    def forwards(state: Any, moment: Any) -> Any:
        y, y_dot = state[:count], state[count:]
        value, pullback = on_tape(array_of(func), active, y, moment, *handed)
        rows = [as_tuple(pullback(unit)) for unit in np.eye(count)]
        return np.concatenate([value, [along(row, (y_dot, *varying)) for row in rows]])

    dot = np.zeros(count) if start is None else np.array(start, dtype=float)
    moved = np.zeros(len(t)) if t_dot is None else t_dot
    tangent = [dot]
    dot = dot - np.asarray(func(path[0], t[0], *handed)) * moved[0]
    for k in range(1, len(t)):
        state = np.concatenate([path[k - 1], dot])
        dot = integrate.odeint(forwards, state, [t[k - 1], t[k]], **_EXACT)[-1][count:]
        tangent.append(dot + np.asarray(func(path[k], t[k], *handed)) * moved[k])
    return np.stack(tangent)


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
    _refuse_what_records("solve_ivp", (found, t))
    path = np.transpose(found)
    if np.iscomplexobj(path):
        raise MissingRuleError(
            "`solve_ivp` has no derivative rule for complex numbers",
            hint="integrate real and imaginary parts",
        )
    if t[0] == span[0]:
        return path, t, True
    return np.concatenate([[np.asarray(y0, dtype=float)], path]), np.append(span[0], t), False


def _refuse_what_records(name: str, values: tuple[Any, ...]) -> None:
    if any(map(records, values)):  # as in second derivatives
        raise MissingRuleError(
            f"the derivative of the gradient of `{name}` has no rule",
            hint="write the steps out, or use sg.numeric_vjp on its gradient",
        )
