"""Calculates gradients of integrals and roots of functions, which the tape differentiates."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import integrate
from scipy.sparse import linalg as sparse_linalg

from srcgrad.errors import NotDifferentiableError
from srcgrad.runtime import on_tape


def quad_back(grad: Any, func: Any, a: Any, b: Any, args: Any) -> tuple[Any, Any, Any]:
    """Return the gradients of the ends of an integral, and of the numbers handed on to `func`."""
    handed = args if isinstance(args, tuple) else (args,)
    grad_a = -grad * func(a, *handed) if np.isfinite(a) else 0.0
    grad_b = grad * func(b, *handed) if np.isfinite(b) else 0.0
    parts = tuple(
        grad * _integral(lambda t, i=i: slope(func, t, handed, i), a, b, np.ndim(handed[i]))
        for i in range(len(handed))
    )
    return grad_a, grad_b, parts if isinstance(args, tuple) else parts[0]


def _integral(func: Any, a: Any, b: Any, axes: int) -> Any:
    """Return the integral of a function whose values are numbers, or arrays with some axes."""
    return integrate.quad_vec(func, a, b)[0] if axes else integrate.quad(func, a, b)[0]


def slope(func: Any, t: Any, args: tuple[Any, ...], number: int) -> Any:
    """Return the derivative of ``func(t, *args)`` in one of `args`."""
    active = (False, *(i == number for i in range(len(args))))
    value, pullback = on_tape(func, active, t, *args)
    return pullback(np.ones_like(value))


def root_back(grad: Any, func: Any, x: Any, args: Any) -> Any:
    """Return the gradients of `args` of an x with ``func(x, *args) == 0``.

    They are those of the exact root, by the theorem of implicit functions; how the solver came to
    it plays no part.
    """
    handed = args if isinstance(args, tuple) else (args,)
    value, pullback = on_tape(func, (True,) * (1 + len(handed)), x, *handed)
    size = np.size(x)
    seeds = np.eye(size, dtype=np.asarray(value).dtype)
    rows = [_all_parts(pullback(_like(seed, value)), len(handed))[0] for seed in seeds]
    slopes = np.reshape(np.stack([np.asarray(row) for row in rows]), (size, size))
    step = np.linalg.solve(slopes, np.reshape(value, size))
    if not np.max(np.abs(step)) <= 1e-4 * (1 + np.max(np.abs(x))):
        raise NotDifferentiableError(
            "the solver returned what is no root, so nothing tells how that depends on anything",
            hint="see its warning, and start nearer",
        )
    weights = np.linalg.solve(slopes.T, -np.reshape(grad, size))
    parts = _all_parts(pullback(_like(weights, value)), len(handed))[1:]
    return parts if isinstance(args, tuple) else parts[0]


def fixed_point_back(grad: Any, func: Any, x: Any, args: Any) -> Any:
    """Return the gradients of `args` of an x with ``func(x, *args) == x``."""
    return root_back(grad, lambda x, *args: func(x, *args) - x, x, args)


def _all_parts(parts: Any, count: int) -> tuple[Any, ...]:
    return parts if count else (parts,)


def _like(seed: Any, value: Any) -> Any:
    return np.reshape(seed, np.shape(value))


def odeint_back(grad: Any, func: Any, path: Any, t: Any, args: Any) -> tuple[Any, Any, Any]:
    """Return the gradients of the start, the times and `args` of ``path = odeint(func, y0, t)``.

    The adjoint equation is integrated backwards, from each time to the one before, along the path.
    """
    handed = args if isinstance(args, tuple) else (args,)
    count = np.shape(path)[1]
    active = (True, False, *(True for _ in handed))
    shapes = [np.shape(item) for item in handed]
    sizes = [int(np.prod(shape)) for shape in shapes]

    def backwards(state: Any, moment: Any) -> Any:
        y, costate = state[:count], state[count : 2 * count]
        value, pullback = on_tape(_array_of(func), active, y, moment, *handed)
        parts = _all_parts(pullback(costate), len(handed))
        return np.concatenate([np.asarray(value), *(-np.ravel(part) for part in parts)])

    state = np.zeros(2 * count + sum(sizes))
    grad_t = np.zeros(np.shape(t))
    for k in range(len(t) - 1, 0, -1):
        state[:count] = path[k]
        state[count : 2 * count] += grad[k]
        grad_t[k] = np.dot(grad[k], np.asarray(func(path[k], t[k], *handed)))
        grad_t[0] -= grad_t[k]
        end = integrate.odeint(backwards, state, [t[k], t[k - 1]], rtol=1e-10, atol=1e-10)
        state = np.array(end[-1])
    parts, place = [], 2 * count
    for shape, size in zip(shapes, sizes, strict=True):
        part = np.reshape(state[place : place + size], shape)
        parts.append(part if shape else part[()])
        place += size
    grad_args = tuple(parts) if isinstance(args, tuple) else parts[0]
    return state[count : 2 * count] + grad[0], grad_t, grad_args


def _array_of(func: Any) -> Any:
    """Return a right-hand side that returns an array, whatever list or tuple `func` returns."""

    def stacked(*args: Any) -> Any:
        value = func(*args)
        return np.stack(value) if isinstance(value, (list, tuple)) else value

    return stacked


def spsolve_back(grad: Any, matrix: Any) -> Any:
    """Return the gradient of the right-hand side of a sparse system."""
    return sparse_linalg.spsolve(matrix.T.conj().tocsc(), grad)
