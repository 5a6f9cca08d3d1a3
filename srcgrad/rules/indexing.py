"""Rules of functions that pick elements by index or by a condition."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.rules.base import Context, Function
from srcgrad.rules.registry import RuleTable
from srcgrad.runtime import (
    getitem,
    scatter,
    unbroadcast,
)

table = RuleTable("indexing")


@table.rule(getitem)
class Getitem(Function):
    """y = x[index], whatever the index selects."""

    @staticmethod
    def forward(ctx: Context, x: Any, index: Any) -> Any:
        ctx.shape, ctx.index = np.shape(x), index
        return x[index]

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return scatter(grad, ctx.index, ctx.shape)


@table.rule(np.where)
class Where(Function):
    """z = x where the condition holds, else y; what is not selected gets exactly 0."""

    @staticmethod
    def forward(ctx: Context, condition: Any, x: Any, y: Any, /) -> Any:
        ctx.x_shape, ctx.y_shape = np.shape(x), np.shape(y)
        ctx.save_for_backward(condition)
        return np.where(condition, x, y)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (condition,) = ctx.saved_tensors
        grad_x, grad_y = None, None
        if ctx.needs_input_grad[1]:
            grad_x = unbroadcast(np.where(condition, grad, 0), ctx.x_shape)
        if ctx.needs_input_grad[2]:
            grad_y = unbroadcast(np.where(condition, 0, grad), ctx.y_shape)
        return None, grad_x, grad_y


RULES = table.freeze()
