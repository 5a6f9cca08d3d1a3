"""Rules of interpolating objects: in the points, and in the values where it is linear in them."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.rules.base import Context, Function
from srcgrad.rules.registry import RuleTable
from srcgrad.runtime.scipy.interpolation import (
    axis_made,
    axis_of,
    bspline,
    bspline_back,
    interpolated,
    interpolation,
    spline_basis,
    summed_to_points,
    unknown_knots,
    values_back,
)

table = RuleTable("interpolation")


@table.rule(interpolated)
class Interpolated(Function):
    """What an object that is there already interpolates."""

    @staticmethod
    def forward(ctx: Context, spline: Any, x: Any, nu: int = 0) -> Any:
        ctx.spline = spline
        ctx.nu = nu
        ctx.save_for_backward(x)
        return interpolated(spline, x, nu)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (x,) = ctx.saved_tensors
        slope = interpolated(ctx.spline, x, ctx.nu + 1)
        return None, summed_to_points(grad * slope, x, axis_of(ctx.spline))


@table.rule(interpolation)
class Interpolation(Function):
    """What an object made of knots and values interpolates; the knots are held fixed."""

    @staticmethod
    def forward(ctx: Context, make: Any, knots: Any, values: Any, x: Any, nu: int = 0) -> Any:
        ctx.make = make
        ctx.nu = nu
        ctx.save_for_backward(knots, values, x)
        return interpolation(make, knots, values, x, nu)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        knots, values, x = ctx.saved_tensors
        grad_knots, grad_values, grad_x = None, None, None
        if ctx.needs_input_grad[1]:
            grad_knots = unknown_knots(ctx.make)
        if ctx.needs_input_grad[2]:
            grad_values = values_back(grad, ctx.make, knots, values, x, ctx.nu)
        if ctx.needs_input_grad[3]:
            slope = interpolation(ctx.make, knots, values, x, ctx.nu + 1)
            grad_x = summed_to_points(grad * slope, x, axis_made(ctx.make, values))
        return None, grad_knots, grad_values, grad_x


@table.rule(bspline)
class Bspline(Function):
    """What splines with given coefficients say at points; the knots are held fixed."""

    @staticmethod
    def forward(ctx: Context, t: Any, c: Any, k: int, x: Any, nu: int = 0) -> Any:
        ctx.t, ctx.k, ctx.nu = t, k, nu
        ctx.save_for_backward(c, x)
        return bspline(t, c, k, x, nu)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        c, x = ctx.saved_tensors
        grad_c, grad_x = None, None
        if ctx.needs_input_grad[1]:
            grad_c = bspline_back(grad, ctx.t, np.shape(c), ctx.k, x, ctx.nu)
        if ctx.needs_input_grad[3]:
            grad_x = grad * bspline(ctx.t, c, ctx.k, x, ctx.nu + 1)
        return None, grad_c, None, grad_x


class SplineBasis(Function):
    """What each spline on some knots says at points; the knots are held fixed."""

    @staticmethod
    def forward(ctx: Context, t: Any, k: int, x: Any, nu: int = 0) -> Any:
        ctx.t, ctx.k, ctx.nu = t, k, nu
        ctx.save_for_backward(x)
        return spline_basis(t, k, x, nu)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (x,) = ctx.saved_tensors
        t, k = ctx.t, ctx.k
        slope = np.sum(grad * spline_basis(t, k, x, ctx.nu + 1), -1)
        inside = np.logical_and(x >= t[k], x <= t[len(t) - k - 1])
        return None, None, np.where(inside, slope, 0.0)


class BsplineBack(Function):
    """The gradient of the coefficients of splines."""

    linear = ("grad",)

    @staticmethod
    def forward(ctx: Context, grad: Any, t: Any, shape: Any, k: int, x: Any, nu: int) -> Any:
        ctx.t, ctx.k, ctx.nu = t, k, nu
        ctx.save_for_backward(grad, x)
        return bspline_back(grad, t, shape, k, x, nu)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        given, x = ctx.saved_tensors
        grad_given, grad_x = None, None
        if ctx.needs_input_grad[0]:
            grad_given = bspline(ctx.t, grad, ctx.k, x, ctx.nu)
        if ctx.needs_input_grad[4]:
            grad_x = given * bspline(ctx.t, grad, ctx.k, x, ctx.nu + 1)
        return grad_given, None, None, None, grad_x, None


_RULES = (
    *((interpolated, Interpolated), (interpolation, Interpolation)),
    *((bspline, Bspline), (bspline_back, BsplineBack), (spline_basis, SplineBasis)),
)
for _function, _rule in _RULES:
    vars(_function)["__srcgrad_rule__"] = _rule
RULES = table.freeze()
