"""Rules of sorting and order statistics."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.rules.base import Context, Function
from srcgrad.rules.registry import RuleTable
from srcgrad.runtime import (
    given,
    put_along_axis,
    quantile_back,
    quantile_push,
)

table = RuleTable("ordering")


@table.rule(np.sort)
class Sort(Function):
    """The elements in rising order along an axis."""

    @staticmethod
    def forward(
        ctx: Context,
        a: Any,
        axis: int | None = -1,
        kind: Any = None,
        order: Any = None,
        *,
        stable: bool | None = None,
    ) -> Any:
        ctx.shape, ctx.axis = np.shape(a), axis
        ctx.save_for_backward(np.argsort(a, axis, "stable"))
        return np.sort(a, axis, kind, order, **given(stable=stable))

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (places,) = ctx.saved_tensors
        return put_along_axis(grad, places, ctx.shape, ctx.axis)

    @staticmethod
    def jvp(ctx: Context, a_dot: Any, *options: Any) -> Any:
        (places,) = ctx.saved_tensors
        return np.take_along_axis(a_dot, places, ctx.axis)


@table.rule(np.partition)
class Partition(Function):
    """The elements in an order that puts the kth where sorting would put it."""

    @staticmethod
    def forward(
        ctx: Context,
        a: Any,
        kth: Any,
        axis: int | None = -1,
        kind: Any = "introselect",
        order: Any = None,
    ) -> Any:
        ctx.shape, ctx.axis = np.shape(a), axis
        ctx.save_for_backward(np.argpartition(a, kth, axis, kind, order))
        return np.partition(a, kth, axis, kind, order)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (places,) = ctx.saved_tensors
        return put_along_axis(grad, places, ctx.shape, ctx.axis)

    @staticmethod
    def jvp(ctx: Context, a_dot: Any, *options: Any) -> Any:
        (places,) = ctx.saved_tensors
        return np.take_along_axis(a_dot, places, ctx.axis)


@table.rule(np.median)
class Median(Function):
    """y = the middle of a, or the mean of the two in the middle."""

    @staticmethod
    def forward(
        ctx: Context,
        a: Any,
        axis: Any = None,
        out: Any = None,
        overwrite_input: bool = False,
        keepdims: bool = False,
    ) -> Any:
        ctx.axis, ctx.keepdims = axis, keepdims
        ctx.save_for_backward(a)
        return np.median(a, axis, out, keepdims=keepdims)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (a,) = ctx.saved_tensors
        return quantile_back(grad, a, 0.5, ctx.axis, ("linear", False, True), 1)[0]

    @staticmethod
    def jvp(ctx: Context, a_dot: Any, *options: Any) -> Any:
        (a,) = ctx.saved_tensors
        return quantile_push(
            (a_dot, None), a, 0.5, ctx.axis, ("linear", False, True), ctx.keepdims, 1
        )


@table.rule(np.quantile)
class Quantile(Function):
    """y = the value below which a share q of a lies."""

    @staticmethod
    def forward(
        ctx: Context,
        a: Any,
        q: Any,
        axis: Any = None,
        out: Any = None,
        overwrite_input: bool = False,
        method: str = "linear",
        keepdims: bool = False,
        *,
        weights: Any = None,
    ) -> Any:
        ctx.axis, ctx.method, ctx.keepdims = axis, (method, False, weights is None), keepdims
        ctx.save_for_backward(a, q)
        return np.quantile(
            a, q, axis, out, method=method, keepdims=keepdims, **given(weights=weights)
        )

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        a, q = ctx.saved_tensors
        grad_a, grad_q = quantile_back(grad, a, q, ctx.axis, ctx.method, 1)
        return grad_a, grad_q

    @staticmethod
    def jvp(ctx: Context, a_dot: Any, q_dot: Any, *options: Any) -> Any:
        a, q = ctx.saved_tensors
        return quantile_push((a_dot, q_dot), a, q, ctx.axis, ctx.method, ctx.keepdims, 1)


@table.rule(np.percentile)
class Percentile(Function):
    """y = the value below which a share q of a lies, in percent."""

    @staticmethod
    def forward(
        ctx: Context,
        a: Any,
        q: Any,
        axis: Any = None,
        out: Any = None,
        overwrite_input: bool = False,
        method: str = "linear",
        keepdims: bool = False,
        *,
        weights: Any = None,
    ) -> Any:
        ctx.axis, ctx.method, ctx.keepdims = axis, (method, False, weights is None), keepdims
        ctx.save_for_backward(a, q)
        return np.percentile(
            a, q, axis, out, method=method, keepdims=keepdims, **given(weights=weights)
        )

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        a, q = ctx.saved_tensors
        grad_a, grad_q = quantile_back(grad, a, q, ctx.axis, ctx.method, 100)
        return grad_a, grad_q

    @staticmethod
    def jvp(ctx: Context, a_dot: Any, q_dot: Any, *options: Any) -> Any:
        a, q = ctx.saved_tensors
        return quantile_push((a_dot, q_dot), a, q, ctx.axis, ctx.method, ctx.keepdims, 100)


@table.rule(np.nanmedian)
class Nanmedian(Function):
    """y = the middle of a without NaN, or the mean of the two in the middle."""

    @staticmethod
    def forward(
        ctx: Context,
        a: Any,
        axis: Any = None,
        out: Any = None,
        overwrite_input: bool = False,
        keepdims: bool = False,
    ) -> Any:
        ctx.axis, ctx.keepdims = axis, keepdims
        ctx.save_for_backward(a)
        return np.nanmedian(a, axis, out, keepdims=keepdims)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (a,) = ctx.saved_tensors
        return quantile_back(grad, a, 0.5, ctx.axis, ("linear", True, True), 1)[0]

    @staticmethod
    def jvp(ctx: Context, a_dot: Any, *options: Any) -> Any:
        (a,) = ctx.saved_tensors
        return quantile_push(
            (a_dot, None), a, 0.5, ctx.axis, ("linear", True, True), ctx.keepdims, 1
        )


@table.rule(np.nanquantile)
class Nanquantile(Function):
    """y = the value below which a share q of a without NaN lies."""

    @staticmethod
    def forward(
        ctx: Context,
        a: Any,
        q: Any,
        axis: Any = None,
        out: Any = None,
        overwrite_input: bool = False,
        method: str = "linear",
        keepdims: bool = False,
        *,
        weights: Any = None,
    ) -> Any:
        ctx.axis, ctx.method, ctx.keepdims = axis, (method, True, weights is None), keepdims
        ctx.save_for_backward(a, q)
        return np.nanquantile(
            a, q, axis, out, method=method, keepdims=keepdims, **given(weights=weights)
        )

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        a, q = ctx.saved_tensors
        grad_a, grad_q = quantile_back(grad, a, q, ctx.axis, ctx.method, 1)
        return grad_a, grad_q

    @staticmethod
    def jvp(ctx: Context, a_dot: Any, q_dot: Any, *options: Any) -> Any:
        a, q = ctx.saved_tensors
        return quantile_push((a_dot, q_dot), a, q, ctx.axis, ctx.method, ctx.keepdims, 1)


@table.rule(np.nanpercentile)
class Nanpercentile(Function):
    """y = the value below which a share q of a without NaN lies, in percent."""

    @staticmethod
    def forward(
        ctx: Context,
        a: Any,
        q: Any,
        axis: Any = None,
        out: Any = None,
        overwrite_input: bool = False,
        method: str = "linear",
        keepdims: bool = False,
        *,
        weights: Any = None,
    ) -> Any:
        ctx.axis, ctx.method, ctx.keepdims = axis, (method, True, weights is None), keepdims
        ctx.save_for_backward(a, q)
        return np.nanpercentile(
            a, q, axis, out, method=method, keepdims=keepdims, **given(weights=weights)
        )

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        a, q = ctx.saved_tensors
        grad_a, grad_q = quantile_back(grad, a, q, ctx.axis, ctx.method, 100)
        return grad_a, grad_q

    @staticmethod
    def jvp(ctx: Context, a_dot: Any, q_dot: Any, *options: Any) -> Any:
        a, q = ctx.saved_tensors
        return quantile_push((a_dot, q_dot), a, q, ctx.axis, ctx.method, ctx.keepdims, 100)


RULES = table.freeze()
