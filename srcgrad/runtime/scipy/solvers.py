"""Calculates gradients of integrals of functions, which the tape differentiates."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import integrate
from scipy.sparse import linalg as sparse_linalg

from srcgrad.runtime import on_tape
from srcgrad.runtime.dispatch import records
from srcgrad.runtime.scipy.implicit import as_tuple, handed_on, is_active, refuse_containers


def quad_end(grad: Any, func: Any, end: Any, args: Any) -> Any:
    """Return the gradient of the upper end of an integral, if it moves."""
    return grad * func(end, *handed_on(args)) if _is_finite(end) else 0.0


def quad_parts(grad: Any, func: Any, a: Any, b: Any, args: Any) -> Any:
    """Return the gradients of the numbers that an integral hands on to `func`."""
    slopes = _slopes_of_integral(func, a, b, handed_on(args))
    parts = tuple(None if slope is None else grad * slope for slope in slopes)
    return parts if isinstance(args, tuple) else parts[0]


def quad_push(func: Any, a: Any, b: Any, args: Any, tangents: tuple[Any, Any, Any]) -> Any:
    """Return the tangent of an integral, given those of its ends and of what is handed on."""
    a_dot, b_dot, args_dot = tangents
    handed = handed_on(args)
    total: Any = 0.0
    if a_dot is not None and _is_finite(a):
        total = total - func(a, *handed) * a_dot
    if b_dot is not None and _is_finite(b):
        total = total + func(b, *handed) * b_dot
    given = (None,) * len(handed) if args_dot is None else as_tuple(args_dot)
    slopes = _slopes_of_integral(func, a, b, handed)
    pairs = zip(slopes, given, strict=True)
    return total + sum(np.sum(s * t) for s, t in pairs if s is not None and t is not None)


def _is_finite(end: Any) -> Any:
    return np.isfinite(getattr(end, "_array", end))  # of what records, too


def _slopes_of_integral(func: Any, a: Any, b: Any, handed: tuple[Any, ...]) -> list[Any]:
    """Return the derivatives of an integral in what is handed on; None in what is no float."""
    refuse_containers(handed, (dict, list, tuple))
    several = any(map(records, (a, b, *handed)))
    return [
        _integral(func, (a, b), handed, i, each=several) if is_active(item) else None
        for i, item in enumerate(handed)
    ]


def _integral(
    func: Any, ends: tuple[Any, Any], handed: tuple[Any, ...], number: int, *, each: bool
) -> Any:
    """Return the integral of a derivative in what is handed on; `each` number of it by itself.

    The integrals of numbers are calls that the tape differentiates, once more if need be.
    """

    def integrand(t: Any, *args: Any) -> Any:
        return slope(func, t, args, number)

    shape = np.shape(handed[number])
    if shape and not each:
        return integrate.quad_vec(lambda t: integrand(t, *handed), *ends)[0]
    if not shape:
        return integrate.quad(integrand, *ends, handed)[0]
    parts = []
    for place in np.ndindex(shape):

        def one(t: Any, *args: Any, place: Any = place) -> Any:
            return integrand(t, *args)[place]

        parts.append(integrate.quad(one, *ends, handed)[0])
    return np.reshape(np.stack(parts), shape) if parts else np.zeros(shape)


def slope(func: Any, t: Any, args: tuple[Any, ...], number: int) -> Any:
    """Return the derivative of ``func(t, *args)`` in one of `args`."""
    active = (False, *(i == number for i in range(len(args))))
    value, pullback = on_tape(func, active, t, *args)
    return pullback(np.ones_like(value))


def spsolve_back(grad: Any, matrix: Any) -> Any:
    """Return the gradient of the right-hand side of a sparse system."""
    return sparse_linalg.spsolve(matrix.T.conj().tocsc(), grad)
