"""Rules of NumPy's further functions of two arrays that are broadcast against each other."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.rules.base import Context, Function
from srcgrad.rules.registry import RuleTable
from srcgrad.runtime import (
    conj,
    divide_or_zero,
    divmod_push,
    exp2_difference,
    exp_difference,
    only_if,
    power_log_slope,
    power_slope,
    sign_flip,
    unbroadcast,
)

table = RuleTable("binary")


@table.rule(np.arctan2)
class Arctan2(Function):
    """z = the angle of a point at height x and distance y along the axis; 0 at the origin."""

    elementwise = True

    @staticmethod
    def forward(ctx: Context, x: Any, y: Any) -> Any:
        ctx.x_shape, ctx.y_shape = np.shape(x), np.shape(y)
        ctx.save_for_backward(x, y)
        return np.arctan2(x, y)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        x, y = ctx.saved_tensors
        grad_x = (
            unbroadcast(grad * divide_or_zero(y, x * x + y * y), ctx.x_shape)
            if ctx.needs_input_grad[0]
            else None
        )
        grad_y = (
            unbroadcast(-grad * divide_or_zero(x, x * x + y * y), ctx.y_shape)
            if ctx.needs_input_grad[1]
            else None
        )
        return grad_x, grad_y


@table.rule(np.hypot)
class Hypot(Function):
    """z = sqrt(x**2 + y**2); the gradient at the origin is 0."""

    elementwise = True

    @staticmethod
    def forward(ctx: Context, x: Any, y: Any) -> Any:
        z = np.hypot(x, y)
        ctx.x_shape, ctx.y_shape = np.shape(x), np.shape(y)
        ctx.save_for_backward(x, y, z)
        return z

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        x, y, z = ctx.saved_tensors
        grad_x = (
            unbroadcast(grad * divide_or_zero(x, z), ctx.x_shape)
            if ctx.needs_input_grad[0]
            else None
        )
        grad_y = (
            unbroadcast(grad * divide_or_zero(y, z), ctx.y_shape)
            if ctx.needs_input_grad[1]
            else None
        )
        return grad_x, grad_y


@table.rule(np.logaddexp)
class Logaddexp(Function):
    """z = log(e**x + e**y), dz/dx = e**(x - z)."""

    elementwise = True

    @staticmethod
    def forward(ctx: Context, x: Any, y: Any) -> Any:
        z = np.logaddexp(x, y)
        ctx.x_shape, ctx.y_shape = np.shape(x), np.shape(y)
        ctx.save_for_backward(x, y, z)
        return z

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        x, y, z = ctx.saved_tensors
        grad_x = (
            unbroadcast(grad * exp_difference(x, z), ctx.x_shape)
            if ctx.needs_input_grad[0]
            else None
        )
        grad_y = (
            unbroadcast(grad * exp_difference(y, z), ctx.y_shape)
            if ctx.needs_input_grad[1]
            else None
        )
        return grad_x, grad_y


@table.rule(np.logaddexp2)
class Logaddexp2(Function):
    """z = log2(2**x + 2**y), dz/dx = 2**(x - z)."""

    elementwise = True

    @staticmethod
    def forward(ctx: Context, x: Any, y: Any) -> Any:
        z = np.logaddexp2(x, y)
        ctx.x_shape, ctx.y_shape = np.shape(x), np.shape(y)
        ctx.save_for_backward(x, y, z)
        return z

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        x, y, z = ctx.saved_tensors
        grad_x = (
            unbroadcast(grad * exp2_difference(x, z), ctx.x_shape)
            if ctx.needs_input_grad[0]
            else None
        )
        grad_y = (
            unbroadcast(grad * exp2_difference(y, z), ctx.y_shape)
            if ctx.needs_input_grad[1]
            else None
        )
        return grad_x, grad_y


@table.rule(np.copysign)
class Copysign(Function):
    """z = |x| with the sign of y, which is constant between jumps."""

    elementwise = True

    @staticmethod
    def forward(ctx: Context, x: Any, y: Any) -> Any:
        ctx.x_shape, ctx.y_shape = np.shape(x), np.shape(y)
        ctx.save_for_backward(x, y)
        return np.copysign(x, y)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        x, y = ctx.saved_tensors
        grad_x = (
            unbroadcast(grad * sign_flip(x, y), ctx.x_shape) if ctx.needs_input_grad[0] else None
        )
        grad_y = unbroadcast(0 * grad, ctx.y_shape) if ctx.needs_input_grad[1] else None
        return grad_x, grad_y


@table.rule(np.heaviside)
class Heaviside(Function):
    """z = 0, y or 1 as x is negative, 0 or positive."""

    @staticmethod
    def forward(ctx: Context, x: Any, y: Any) -> Any:
        ctx.x_shape, ctx.y_shape = np.shape(x), np.shape(y)
        ctx.save_for_backward(x)
        return np.heaviside(x, y)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (x,) = ctx.saved_tensors
        grad_x = unbroadcast(0 * grad, ctx.x_shape) if ctx.needs_input_grad[0] else None
        grad_y = (
            unbroadcast(np.where(x == 0, grad, 0.0), ctx.y_shape)
            if ctx.needs_input_grad[1]
            else None
        )
        return grad_x, grad_y


@table.rule(np.nextafter)
class Nextafter(Function):
    """z = x moved by the smallest step towards y."""

    @staticmethod
    def forward(ctx: Context, x: Any, y: Any) -> Any:
        ctx.x_shape, ctx.y_shape = np.shape(x), np.shape(y)
        return np.nextafter(x, y)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        grad_x = unbroadcast(grad, ctx.x_shape) if ctx.needs_input_grad[0] else None
        grad_y = unbroadcast(0 * grad, ctx.y_shape) if ctx.needs_input_grad[1] else None
        return grad_x, grad_y


@table.rule(np.ldexp)
class Ldexp(Function):
    """z = x * 2**y with an integer y."""

    linear = ("x",)
    inert = ("y",)

    @staticmethod
    def forward(ctx: Context, x: Any, y: Any) -> Any:
        ctx.x_shape = np.shape(x)
        ctx.save_for_backward(y)
        return np.ldexp(x, y)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (y,) = ctx.saved_tensors
        return unbroadcast(np.ldexp(grad, y), ctx.x_shape)


@table.rule(np.float_power)
class FloatPower(Function):
    """z = x**y computed with at least double precision."""

    elementwise = True

    @staticmethod
    def forward(ctx: Context, x: Any, y: Any) -> Any:
        z = np.float_power(x, y)
        ctx.x_shape, ctx.y_shape = np.shape(x), np.shape(y)
        ctx.save_for_backward(x, y, z)
        return z

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        x, y, z = ctx.saved_tensors
        grad_x, grad_y = None, None
        if ctx.needs_input_grad[0]:
            grad_x = unbroadcast(grad * conj(power_slope(x, y)), ctx.x_shape)
        if ctx.needs_input_grad[1]:
            grad_y = unbroadcast(grad * conj(power_log_slope(x, y, z)), ctx.y_shape)
        return grad_x, grad_y


@table.rule(np.divmod)
class Divmod(Function):
    """The quotient, constant between jumps, and the remainder x - quotient * y."""

    @staticmethod
    def forward(ctx: Context, x: Any, y: Any) -> Any:
        result = np.divmod(x, y)
        ctx.x_shape, ctx.y_shape = np.shape(x), np.shape(y)
        ctx.save_for_backward(result[0])
        return result

    @staticmethod
    def backward(ctx: Context, grad_quotient: Any, grad: Any) -> Any:
        (quotient,) = ctx.saved_tensors
        grad_x = only_if(grad, 1, ctx.x_shape) if ctx.needs_input_grad[0] else None
        grad_y = only_if(grad, -quotient, ctx.y_shape) if ctx.needs_input_grad[1] else None
        return grad_x, grad_y

    @staticmethod
    def jvp(ctx: Context, x_dot: Any, y_dot: Any) -> Any:
        (quotient,) = ctx.saved_tensors
        return divmod_push(x_dot, y_dot, quotient)


RULES = table.freeze()
