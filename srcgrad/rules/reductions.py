"""Rules of sums, means and extremes over axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.rules.base import Context, Function
from srcgrad.rules.registry import RuleTable
from srcgrad.runtime import (
    expand_mean,
    expand_sum,
    given,
    share_among_ties,
    shortcut,
)

table = RuleTable("reductions")


@table.rule(np.sum)
class Sum(Function):
    """y = the sum of a over axes."""

    linear = ("a", "initial")

    @staticmethod
    def forward(
        ctx: Context,
        a: Any,
        axis: Any = None,
        dtype: Any = None,
        out: Any = None,
        keepdims: bool = False,
        initial: Any = None,
        where: Any = True,
    ) -> Any:
        ctx.shape, ctx.axis, ctx.keepdims, ctx.where = np.shape(a), axis, keepdims, where
        return np.sum(a, axis, dtype, out, keepdims, **given(initial=initial, where=where))

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        grad_a, grad_initial = None, None
        if ctx.needs_input_grad[0]:
            if shortcut((ctx.axis is None or ctx.keepdims is True) and ctx.where is True):
                grad_a = np.broadcast_to(grad, ctx.shape)
            else:
                grad_a = expand_sum(grad, ctx.shape, ctx.axis, ctx.keepdims, ctx.where)
        if ctx.needs_input_grad[5]:
            grad_initial = np.sum(grad)
        return grad_a, None, None, None, None, grad_initial


@table.rule(np.mean)
class Mean(Function):
    """y = the mean of a over axes."""

    linear = ("a",)

    @staticmethod
    def forward(
        ctx: Context,
        a: Any,
        axis: Any = None,
        dtype: Any = None,
        out: Any = None,
        keepdims: bool = False,
        *,
        where: Any = True,
    ) -> Any:
        ctx.shape, ctx.size, ctx.axis, ctx.keepdims = np.shape(a), np.size(a), axis, keepdims
        ctx.where = where
        return np.mean(a, axis, dtype, out, keepdims, **given(where=where))

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        if shortcut(ctx.axis is None and ctx.where is True):
            grad_a = np.broadcast_to(grad / ctx.size, ctx.shape)
        else:
            grad_a = expand_mean(grad, ctx.shape, ctx.axis, ctx.keepdims, ctx.where)
        return grad_a


@table.rule(np.max, np.amax)
class Max(Function):
    """y = the largest of a over axes; its gradient is split evenly among ties."""

    reduces = True
    selects = True

    @staticmethod
    def forward(
        ctx: Context,
        a: Any,
        axis: Any = None,
        out: Any = None,
        keepdims: bool = False,
        initial: Any = None,
        where: Any = True,
    ) -> Any:
        y = np.max(a, axis, out, keepdims, **given(initial=initial, where=where))
        ctx.axis, ctx.keepdims, ctx.where = axis, keepdims, where
        ctx.save_for_backward(a, y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        a, y = ctx.saved_tensors
        if shortcut(ctx.axis is None and not ctx.keepdims and ctx.where is True):
            grad_a = share_among_ties(grad, a, y)
        else:
            grad_a = share_among_ties(grad, a, y, ctx.axis, ctx.keepdims, ctx.where)
        return grad_a


@table.rule(np.min, np.amin)
class Min(Function):
    """y = the smallest of a over axes; its gradient is split evenly among ties."""

    reduces = True
    selects = True

    @staticmethod
    def forward(
        ctx: Context,
        a: Any,
        axis: Any = None,
        out: Any = None,
        keepdims: bool = False,
        initial: Any = None,
        where: Any = True,
    ) -> Any:
        y = np.min(a, axis, out, keepdims, **given(initial=initial, where=where))
        ctx.axis, ctx.keepdims, ctx.where = axis, keepdims, where
        ctx.save_for_backward(a, y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        a, y = ctx.saved_tensors
        if shortcut(ctx.axis is None and not ctx.keepdims and ctx.where is True):
            grad_a = share_among_ties(grad, a, y)
        else:
            grad_a = share_among_ties(grad, a, y, ctx.axis, ctx.keepdims, ctx.where)
        return grad_a


RULES = table.freeze()
