"""Rules of integrals of samples in ``scipy.integrate``."""

from __future__ import annotations

from typing import Any

from scipy import integrate

from srcgrad.rules.base import Context, Function
from srcgrad.rules.registry import RuleTable
from srcgrad.runtime import trapezoid_back
from srcgrad.runtime.scipy.linear_maps import cumulative_trapezoid_back

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


RULES = table.freeze()
