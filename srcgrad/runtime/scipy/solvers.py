"""Calculates gradients of integrals of functions, which the tape differentiates."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import integrate
from scipy.sparse import linalg as sparse_linalg

from srcgrad.errors import MissingRuleError
from srcgrad.runtime import on_tape
from srcgrad.runtime.dispatch import records
from srcgrad.runtime.scipy.implicit import as_tuple, handed_on, is_active


def quad_back(grad: Any, func: Any, a: Any, b: Any, args: Any) -> tuple[Any, Any, Any]:
    """Return the gradients of the ends of an integral, and of the numbers handed on to `func`."""
    handed = handed_on(args)
    _refuse_second_order((a, b, *handed))
    grad_a = -grad * func(a, *handed) if np.isfinite(a) else 0.0
    grad_b = grad * func(b, *handed) if np.isfinite(b) else 0.0
    slopes = _slopes_of_integral(func, a, b, handed)
    parts = tuple(None if slope is None else grad * slope for slope in slopes)
    return grad_a, grad_b, parts if isinstance(args, tuple) else parts[0]


def quad_push(func: Any, a: Any, b: Any, args: Any, tangents: tuple[Any, Any, Any]) -> Any:
    """Return the tangent of an integral, given those of its ends and of what is handed on."""
    a_dot, b_dot, args_dot = tangents
    handed = handed_on(args)
    total: Any = 0.0
    if a_dot is not None and np.isfinite(a):
        total = total - func(a, *handed) * a_dot
    if b_dot is not None and np.isfinite(b):
        total = total + func(b, *handed) * b_dot
    given = (None,) * len(handed) if args_dot is None else as_tuple(args_dot)
    slopes = _slopes_of_integral(func, a, b, handed)
    pairs = zip(slopes, given, strict=True)
    return total + sum(np.sum(s * t) for s, t in pairs if s is not None and t is not None)


def _slopes_of_integral(func: Any, a: Any, b: Any, handed: tuple[Any, ...]) -> list[Any]:
    """Return the derivatives of an integral in what is handed on; None in what is no float."""
    return [
        _integral(lambda t, i=i: slope(func, t, handed, i), a, b, np.ndim(item))
        if is_active(item)
        else None
        for i, item in enumerate(handed)
    ]


def _refuse_second_order(values: tuple[Any, ...]) -> None:
    if any(map(records, values)):
        raise MissingRuleError(
            "the derivative of the gradient of `quad` has no rule",
            hint="write the sum over the points out, or use sg.numeric_vjp on its gradient",
        )


def _integral(func: Any, a: Any, b: Any, axes: int) -> Any:
    """Return the integral of a function whose values are numbers, or arrays with some axes."""
    return integrate.quad_vec(func, a, b)[0] if axes else integrate.quad(func, a, b)[0]


def slope(func: Any, t: Any, args: tuple[Any, ...], number: int) -> Any:
    """Return the derivative of ``func(t, *args)`` in one of `args`."""
    active = (False, *(i == number for i in range(len(args))))
    value, pullback = on_tape(func, active, t, *args)
    return pullback(np.ones_like(value))


def spsolve_back(grad: Any, matrix: Any) -> Any:
    """Return the gradient of the right-hand side of a sparse system."""
    return sparse_linalg.spsolve(matrix.T.conj().tocsc(), grad)
