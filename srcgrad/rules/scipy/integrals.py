"""Rules of integrals of samples in ``scipy.integrate``."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import integrate

from srcgrad.rules.base import Context, Function
from srcgrad.rules.registry import RuleTable
from srcgrad.runtime import trapezoid_back
from srcgrad.runtime.scipy.linear_maps import (
    along_back,
    cumulative_simpson_back,
    cumulative_trapezoid_back,
    units,
)

table = RuleTable("integrals")


@table.rule(integrate.trapezoid)
class Trapezoid(Function):
    """The integral of y by the trapezoidal rule."""

    multilinear = ("y", "x", "dx")

    @staticmethod
    def forward(ctx: Context, y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Any:
        ctx.axis = axis
        ctx.save_for_backward(y, x, dx)
        return integrate.trapezoid(y, x, dx, axis)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        y, x, dx = ctx.saved_tensors
        grad_y, grad_x, grad_dx = trapezoid_back(grad, (y, x, dx), ctx.axis)
        return grad_y, grad_x, grad_dx


@table.rule(integrate.cumulative_trapezoid)
class CumulativeTrapezoid(Function):
    """The running integral of y by the trapezoidal rule."""

    multilinear = ("y", "x", "dx")

    @staticmethod
    def forward(
        ctx: Context, y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1, initial: Any = None
    ) -> Any:
        ctx.axis = axis
        ctx.initial = initial
        ctx.save_for_backward(y, x, dx)
        return integrate.cumulative_trapezoid(y, x, dx, axis, initial)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        y, x, dx = ctx.saved_tensors
        grad_y, grad_x, grad_dx = cumulative_trapezoid_back(grad, (y, x, dx), ctx.axis, ctx.initial)
        return grad_y, grad_x, grad_dx


@table.rule(integrate.simpson)
class Simpson(Function):
    """The integral of y by Simpson's rule; the points are held fixed."""

    linear = ("y",)

    @staticmethod
    def forward(ctx: Context, y: Any, x: Any = None, *, dx: Any = 1.0, axis: int = -1) -> Any:
        ctx.shape = np.shape(y)
        ctx.x = x
        ctx.dx = dx
        ctx.axis = axis
        return integrate.simpson(y, x, dx=dx, axis=axis)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        weights = integrate.simpson(units(ctx.shape, ctx.axis), ctx.x, dx=ctx.dx, axis=-1)
        return along_back(grad, ctx.shape, ctx.axis, weights), None, None


@table.rule(integrate.cumulative_simpson)
class CumulativeSimpson(Function):
    """The running integral of y by Simpson's rule; the points are held fixed."""

    @staticmethod
    def forward(
        ctx: Context,
        y: Any,
        *,
        x: Any = None,
        dx: Any = 1.0,
        axis: int = -1,
        initial: Any = None,
    ) -> Any:
        ctx.shape = np.shape(y)
        ctx.x, ctx.dx = x, dx
        ctx.axis = axis
        ctx.start = None if initial is None else 0
        return integrate.cumulative_simpson(y, x=x, dx=dx, axis=axis, initial=initial)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        points = ctx.x, ctx.dx
        return cumulative_simpson_back(grad, ctx.shape, ctx.axis, points, ctx.start), None, None

    @staticmethod
    def jvp(ctx: Context, y_dot: Any, x: Any, dx: Any, axis: Any, initial: Any) -> Any:
        return integrate.cumulative_simpson(
            y_dot, x=ctx.x, dx=ctx.dx, axis=ctx.axis, initial=ctx.start
        )


@table.rule(integrate.romb)
class Romb(Function):
    """The integral of y by Romberg's rule; the distance is held fixed."""

    linear = ("y",)

    @staticmethod
    def forward(ctx: Context, y: Any, dx: Any = 1.0, axis: int = -1) -> Any:
        ctx.shape = np.shape(y)
        ctx.dx = dx
        ctx.axis = axis
        return integrate.romb(y, dx, axis)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        weights = integrate.romb(units(ctx.shape, ctx.axis), ctx.dx, -1)
        return along_back(grad, ctx.shape, ctx.axis, weights), None


RULES = table.freeze()
