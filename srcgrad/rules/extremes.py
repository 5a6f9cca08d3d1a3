"""Rules of functions that choose between values: the larger, the smaller, the one within bounds."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.rules.base import Context, Function
from srcgrad.rules.registry import RuleTable
from srcgrad.runtime import (
    chosen_part,
    greater_part,
    is_above,
    is_below,
    unbroadcast,
    within,
)

table = RuleTable("extremes")


@table.rule(np.maximum)
class Maximum(Function):
    """z = the larger of x and y; half each where they are equal."""

    elementwise = True

    @staticmethod
    def forward(ctx: Context, x: Any, y: Any) -> Any:
        ctx.x_shape, ctx.y_shape = np.shape(x), np.shape(y)
        ctx.save_for_backward(x, y)
        return np.maximum(x, y)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        x, y = ctx.saved_tensors
        grad_x = (
            unbroadcast(greater_part(grad, x, y), ctx.x_shape) if ctx.needs_input_grad[0] else None
        )
        grad_y = (
            unbroadcast(greater_part(grad, y, x), ctx.y_shape) if ctx.needs_input_grad[1] else None
        )
        return grad_x, grad_y


@table.rule(np.minimum)
class Minimum(Function):
    """z = the smaller of x and y; half each where they are equal."""

    elementwise = True

    @staticmethod
    def forward(ctx: Context, x: Any, y: Any) -> Any:
        ctx.x_shape, ctx.y_shape = np.shape(x), np.shape(y)
        ctx.save_for_backward(x, y)
        return np.minimum(x, y)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        x, y = ctx.saved_tensors
        grad_x = (
            unbroadcast(greater_part(grad, y, x), ctx.x_shape) if ctx.needs_input_grad[0] else None
        )
        grad_y = (
            unbroadcast(greater_part(grad, x, y), ctx.y_shape) if ctx.needs_input_grad[1] else None
        )
        return grad_x, grad_y


@table.rule(np.fmax)
class Fmax(Function):
    """z = the larger of x and y, or the one that is a number; half each where they are equal."""

    elementwise = True

    @staticmethod
    def forward(ctx: Context, x: Any, y: Any) -> Any:
        z = np.fmax(x, y)
        ctx.x_shape, ctx.y_shape = np.shape(x), np.shape(y)
        ctx.save_for_backward(x, y, z)
        return z

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        x, y, z = ctx.saved_tensors
        grad_x = (
            unbroadcast(chosen_part(grad, z, x, y), ctx.x_shape)
            if ctx.needs_input_grad[0]
            else None
        )
        grad_y = (
            unbroadcast(chosen_part(grad, z, y, x), ctx.y_shape)
            if ctx.needs_input_grad[1]
            else None
        )
        return grad_x, grad_y


@table.rule(np.fmin)
class Fmin(Function):
    """z = the smaller of x and y, or the one that is a number; half each where they are equal."""

    elementwise = True

    @staticmethod
    def forward(ctx: Context, x: Any, y: Any) -> Any:
        z = np.fmin(x, y)
        ctx.x_shape, ctx.y_shape = np.shape(x), np.shape(y)
        ctx.save_for_backward(x, y, z)
        return z

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        x, y, z = ctx.saved_tensors
        grad_x = (
            unbroadcast(chosen_part(grad, z, x, y), ctx.x_shape)
            if ctx.needs_input_grad[0]
            else None
        )
        grad_y = (
            unbroadcast(chosen_part(grad, z, y, x), ctx.y_shape)
            if ctx.needs_input_grad[1]
            else None
        )
        return grad_x, grad_y


@table.rule(np.clip)
class Clip(Function):
    """y = a within bounds; at a bound the gradient is that of a."""

    elementwise = True

    @staticmethod
    def forward(
        ctx: Context,
        a: Any,
        a_min: Any = None,
        a_max: Any = None,
        out: Any = None,
        *,
        min: Any = None,
        max: Any = None,
    ) -> Any:
        ctx.a_shape = np.shape(a)
        ctx.save_for_backward(a, a_min if min is None else min, a_max if max is None else max)
        return np.clip(a, a_min if min is None else min, a_max if max is None else max, out)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        a, low, high = ctx.saved_tensors
        grad_a, grad_low, grad_high = None, None, None
        if ctx.needs_input_grad[0]:
            grad_a = unbroadcast(np.where(within(a, low, high), grad, 0.0), ctx.a_shape)
        if ctx.needs_input_grad[1] or ctx.needs_input_grad[4]:
            grad_low = unbroadcast(np.where(is_below(a, low, high), grad, 0.0), np.shape(low))
        if ctx.needs_input_grad[2] or ctx.needs_input_grad[5]:
            grad_high = unbroadcast(np.where(is_above(a, low, high), grad, 0.0), np.shape(high))
        return grad_a, grad_low, grad_high, None, grad_low, grad_high


RULES = table.freeze()
