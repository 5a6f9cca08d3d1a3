"""Rules of NumPy's arithmetic on two arrays that are broadcast against each other."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from srcgrad.rules.base import Context, Function
from srcgrad.rules.registry import RuleTable
from srcgrad.runtime import (
    conj,
    is_number,
    power_log_slope,
    power_slope,
    unbroadcast,
)

table = RuleTable("arithmetic")


@table.rule(np.add, operator.add)
class Add(Function):
    """z = x + y."""

    linear = ("x", "y")
    spreads = True

    @staticmethod
    def forward(ctx: Context, x: Any, y: Any) -> Any:
        ctx.x_shape, ctx.y_shape = np.shape(x), np.shape(y)
        return np.add(x, y)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        grad_x = unbroadcast(grad, ctx.x_shape) if ctx.needs_input_grad[0] else None
        grad_y = unbroadcast(grad, ctx.y_shape) if ctx.needs_input_grad[1] else None
        return grad_x, grad_y


@table.rule(np.subtract, operator.sub)
class Subtract(Function):
    """z = x - y."""

    linear = ("x", "y")
    spreads = True

    @staticmethod
    def forward(ctx: Context, x: Any, y: Any) -> Any:
        ctx.x_shape, ctx.y_shape = np.shape(x), np.shape(y)
        return np.subtract(x, y)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        grad_x = unbroadcast(grad, ctx.x_shape) if ctx.needs_input_grad[0] else None
        grad_y = unbroadcast(-grad, ctx.y_shape) if ctx.needs_input_grad[1] else None
        return grad_x, grad_y


@table.rule(np.multiply, operator.mul)
class Multiply(Function):
    """z = x * y."""

    elementwise = True

    @staticmethod
    def forward(ctx: Context, x: Any, y: Any) -> Any:
        ctx.x_shape, ctx.y_shape = np.shape(x), np.shape(y)
        ctx.save_for_backward(
            x if ctx.needs_input_grad[1] else None, y if ctx.needs_input_grad[0] else None
        )
        return np.multiply(x, y)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        x, y = ctx.saved_tensors
        grad_x = unbroadcast(grad * conj(y), ctx.x_shape) if ctx.needs_input_grad[0] else None
        grad_y = unbroadcast(grad * conj(x), ctx.y_shape) if ctx.needs_input_grad[1] else None
        return grad_x, grad_y


@table.rule(np.divide, operator.truediv)
class Divide(Function):
    """z = x / y, dz/dx = 1 / y and dz/dy = -z / y."""

    elementwise = True

    @staticmethod
    def forward(ctx: Context, x: Any, y: Any) -> Any:
        z = np.divide(x, y)
        ctx.x_shape, ctx.y_shape = np.shape(x), np.shape(y)
        ctx.save_for_backward(y, z if ctx.needs_input_grad[1] else None)
        return z

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        y, z = ctx.saved_tensors
        if ctx.needs_input_grad[0] and ctx.needs_input_grad[1]:
            grad_numerator = grad / conj(y)
            grad_x = unbroadcast(grad_numerator, ctx.x_shape)
            grad_y = unbroadcast(-grad_numerator * conj(z), ctx.y_shape)
        else:
            grad_x = unbroadcast(grad / conj(y), ctx.x_shape) if ctx.needs_input_grad[0] else None
            grad_y = (
                unbroadcast(-grad / conj(y) * conj(z), ctx.y_shape)
                if ctx.needs_input_grad[1]
                else None
            )
        return grad_x, grad_y


@table.rule(np.power, operator.pow)
class Power(Function):
    """z = x**y, dz/dx = y * x**(y - 1) (0 where y is 0) and dz/dy = z * log(x) (0 where x is 0).

    Of a negative y, dz/dx is y * z / x, also where x is 0; a quotient takes a tenth of a power.
    """

    elementwise = True

    @staticmethod
    def forward(ctx: Context, x: Any, y: Any) -> Any:
        z = np.power(x, y)
        ctx.x_shape, ctx.y_shape = np.shape(x), np.shape(y)
        read = ctx.needs_input_grad[1] or is_number(y, below=0)
        ctx.save_for_backward(x, y, z if read else None)
        return z

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        x, y, z = ctx.saved_tensors
        grad_x, grad_y = None, None
        if ctx.needs_input_grad[0]:
            if is_number(y, 2):
                grad_x = 2 * conj(x) * grad
            elif is_number(y, below=0):
                grad_x = y * grad * conj(z / x)
            elif is_number(y, at_least=1):
                grad_x = y * conj(x ** (y - 1)) * grad
            else:
                grad_x = unbroadcast(grad * conj(power_slope(x, y)), ctx.x_shape)
        if ctx.needs_input_grad[1]:
            grad_y = unbroadcast(grad * conj(power_log_slope(x, y, z)), ctx.y_shape)
        return grad_x, grad_y


@table.rule(np.remainder, operator.mod)
class Remainder(Function):
    """z = x - floor(x / y) * y, with the floor held fixed."""

    elementwise = True

    @staticmethod
    def forward(ctx: Context, x: Any, y: Any) -> Any:
        ctx.x_shape, ctx.y_shape = np.shape(x), np.shape(y)
        ctx.save_for_backward(
            x if ctx.needs_input_grad[1] else None, y if ctx.needs_input_grad[1] else None
        )
        return np.remainder(x, y)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        x, y = ctx.saved_tensors
        grad_x = unbroadcast(grad, ctx.x_shape) if ctx.needs_input_grad[0] else None
        grad_y = unbroadcast(-grad * (x // y), ctx.y_shape) if ctx.needs_input_grad[1] else None
        return grad_x, grad_y


@table.rule(np.fmod)
class Fmod(Function):
    """z = x - trunc(x / y) * y, with the quotient held fixed."""

    elementwise = True

    @staticmethod
    def forward(ctx: Context, x: Any, y: Any) -> Any:
        ctx.x_shape, ctx.y_shape = np.shape(x), np.shape(y)
        ctx.save_for_backward(
            x if ctx.needs_input_grad[1] else None, y if ctx.needs_input_grad[1] else None
        )
        return np.fmod(x, y)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        x, y = ctx.saved_tensors
        grad_x = unbroadcast(grad, ctx.x_shape) if ctx.needs_input_grad[0] else None
        grad_y = (
            unbroadcast(-grad * np.trunc(x / y), ctx.y_shape) if ctx.needs_input_grad[1] else None
        )
        return grad_x, grad_y


RULES = table.freeze()
