"""Rules of functions that choose between values: the larger, the smaller, the one within bounds."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.rules.base import Context, Function
from srcgrad.rules.registry import RuleTable
from srcgrad.runtime import greater_part, unbroadcast

table = RuleTable("extremes")


@table.rule(np.maximum)
class Maximum(Function):
    """z = the larger of x and y; half each where they are equal."""

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


RULES = table.freeze()
