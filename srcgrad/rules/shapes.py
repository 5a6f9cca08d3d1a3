"""Rules of functions that give the same elements another shape or order."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.rules.base import Context, Function
from srcgrad.rules.registry import RuleTable
from srcgrad.runtime import (
    given,
    inverse_axes,
    reshape_back,
    shortcut,
)

table = RuleTable("shapes")


@table.rule(np.reshape)
class Reshape(Function):
    """The same elements in another shape."""

    @staticmethod
    def forward(
        ctx: Context, a: Any, /, shape: Any, order: str = "C", *, copy: bool | None = None
    ) -> Any:
        ctx.shape, ctx.order = np.shape(a), order
        return np.reshape(a, shape, order, **given(copy=copy))

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        if shortcut(ctx.order == "C"):
            grad_a = np.reshape(grad, ctx.shape)
        else:
            grad_a = reshape_back(grad, ctx.shape, ctx.order)
        return grad_a


@table.rule(np.transpose)
class Transpose(Function):
    """The same elements with their axes permuted, or reversed."""

    @staticmethod
    def forward(ctx: Context, a: Any, axes: Any = None) -> Any:
        ctx.axes = axes
        return np.transpose(a, axes)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        if shortcut(ctx.axes is None):
            grad_a = np.transpose(grad)
        else:
            grad_a = np.transpose(grad, inverse_axes(ctx.axes))
        return grad_a


RULES = table.freeze()
