"""Rules of cumulative sums and products."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.rules.base import Context, Function
from srcgrad.rules.registry import RuleTable
from srcgrad.runtime import (
    cumprod_back,
    cumprod_push,
    cumsum_back,
    tail,
)

table = RuleTable("cumulative")


@table.rule(np.cumsum)
class Cumsum(Function):
    """y = the sum of a up to each element."""

    linear = ("a",)

    @staticmethod
    def forward(
        ctx: Context, a: Any, axis: int | None = None, dtype: Any = None, out: Any = None
    ) -> Any:
        ctx.shape, ctx.axis = np.shape(a), axis
        return np.cumsum(a, axis, dtype, out)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return cumsum_back(grad, ctx.shape, ctx.axis)


@table.rule(np.nancumsum)
class Nancumsum(Function):
    """y = the sum, up to each element, of what is not NaN."""

    @staticmethod
    def forward(
        ctx: Context, a: Any, axis: int | None = None, dtype: Any = None, out: Any = None
    ) -> Any:
        ctx.shape, ctx.axis = np.shape(a), axis
        ctx.save_for_backward(np.isnan(a))
        return np.nancumsum(a, axis, dtype, out)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (missing,) = ctx.saved_tensors
        return np.where(missing, 0.0, cumsum_back(grad, ctx.shape, ctx.axis))


@table.rule(np.cumprod)
class Cumprod(Function):
    """y = the product of a up to each element; exact where elements are 0."""

    @staticmethod
    def forward(
        ctx: Context, a: Any, axis: int | None = None, dtype: Any = None, out: Any = None
    ) -> Any:
        ctx.axis = axis
        ctx.save_for_backward(a)
        return np.cumprod(a, axis, dtype, out)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (a,) = ctx.saved_tensors
        return cumprod_back(grad, a, ctx.axis)

    @staticmethod
    def jvp(ctx: Context, a_dot: Any, *options: Any) -> Any:
        (a,) = ctx.saved_tensors
        return cumprod_push(a_dot, a, ctx.axis)


@table.rule(np.nancumprod)
class Nancumprod(Function):
    """y = the product, up to each element, of what is not NaN."""

    @staticmethod
    def forward(
        ctx: Context, a: Any, axis: int | None = None, dtype: Any = None, out: Any = None
    ) -> Any:
        ctx.axis = axis
        ctx.save_for_backward(a)
        return np.nancumprod(a, axis, dtype, out)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (a,) = ctx.saved_tensors
        missing = np.isnan(a)
        return np.where(missing, 0.0, cumprod_back(grad, np.where(missing, 1, a), ctx.axis))


@table.rule(np.cumulative_sum)
class CumulativeSum(Function):
    """y = the sum of x up to each element, after the empty one if asked."""

    linear = ("x",)

    @staticmethod
    def forward(
        ctx: Context,
        x: Any,
        /,
        *,
        axis: int | None = None,
        dtype: Any = None,
        out: Any = None,
        include_initial: bool = False,
    ) -> Any:
        ctx.shape, ctx.axis, ctx.initial = np.shape(x), axis, include_initial
        return np.cumulative_sum(
            x, axis=axis, dtype=dtype, out=out, include_initial=include_initial
        )

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return cumsum_back(tail(grad, ctx.initial, ctx.axis), ctx.shape, ctx.axis)


@table.rule(np.cumulative_prod)
class CumulativeProd(Function):
    """y = the product of x up to each element, after the empty one if asked."""

    @staticmethod
    def forward(
        ctx: Context,
        x: Any,
        /,
        *,
        axis: int | None = None,
        dtype: Any = None,
        out: Any = None,
        include_initial: bool = False,
    ) -> Any:
        ctx.axis, ctx.initial = axis, include_initial
        ctx.save_for_backward(x)
        return np.cumulative_prod(
            x, axis=axis, dtype=dtype, out=out, include_initial=include_initial
        )

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (x,) = ctx.saved_tensors
        return cumprod_back(tail(grad, ctx.initial, ctx.axis), x, ctx.axis)


RULES = table.freeze()
