"""Makes the functions that are zero, or as small as can be, at what SciPy's solvers return."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from srcgrad.errors import MissingRuleError
from srcgrad.runtime import on_tape
from srcgrad.runtime.dispatch import records
from srcgrad.runtime.scipy.boxes import box
from srcgrad.runtime.scipy.implicit import array_of, number_of, root_back

Residual = Callable[..., Any]


def moved_by(func: Residual) -> Residual:
    """Return by how much a function moves its argument: zero at a fixed point."""

    def moved(x: Any, *args: Any) -> Any:
        return array_of(func)(x, *args) - x

    return moved


def gradient_of(func: Residual) -> Residual:
    """Return the gradient of a function in its first argument: zero at a minimum."""

    def gradient(x: Any, *args: Any) -> Any:
        value, pullback = on_tape(number_of(func), (True, *(False for _ in args)), x, *args)
        return pullback(np.ones_like(value))

    return gradient


def cost_of(func: Residual, loss: Any = "linear", f_scale: Any = 1.0) -> Residual:
    """Return half of the sum of squared residuals, or of a robust loss of them."""
    if loss not in _LOSSES:
        raise MissingRuleError(
            f"`least_squares` has no derivative rule with the loss {loss!r}",
            hint=f"use one of {', '.join(_LOSSES)}",
        )

    def cost(x: Any, *args: Any) -> Any:
        squares = (array_of(func)(x, *args) / f_scale) ** 2
        return 0.5 * f_scale**2 * np.sum(_LOSSES[loss](squares))

    return cost


_LOSSES: Final[dict[Any, Callable[[Any], Any]]] = {
    "linear": lambda z: z,
    "soft_l1": lambda z: 2 * (np.sqrt(1 + z) - 1),
    "huber": lambda z: np.where(z <= 1, z, 2 * np.sqrt(np.where(z <= 1, 1, z)) - 1),
    "cauchy": np.log1p,
    "arctan": np.arctan,
}
"""The losses of `least_squares`, as functions of squared residuals."""


def curve_back(
    grads: tuple[Any, Any], func: Residual, best: Any, data: tuple[Any, ...], bounds: Any
) -> Any:
    """Return the gradients of the points, values and deviations that a curve was fitted to."""
    grad, grad_covariance = grads
    if records(grad_covariance) or (grad_covariance is not None and np.any(grad_covariance)):
        raise MissingRuleError(
            "the covariance that `curve_fit` returns has no derivative rule",
            hint="write it as the inverse of J.T @ J from the parameters",
        )
    limits = None if np.all(np.isinf(bounds[0])) and np.all(np.isinf(bounds[1])) else box(bounds)
    return root_back(grad, gradient_of(misfit_of(func)), best, data, limits)


def misfit_of(func: Residual) -> Residual:
    """Return half of the sum of squares that `curve_fit` makes as small as it can."""

    def misfit(parameters: Any, x: Any, y: Any, sigma: Any) -> Any:
        away = func(x, *parameters) - y
        if sigma is None:
            return 0.5 * np.sum(away**2)
        if np.ndim(sigma) == 2:
            return 0.5 * np.sum(away * np.linalg.solve(sigma, away))
        return 0.5 * np.sum((away / sigma) ** 2)

    return misfit
