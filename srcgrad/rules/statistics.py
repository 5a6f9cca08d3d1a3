"""Rules of products, spreads and averages, and of reductions that pass over NaN."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.rules.base import Context, Function
from srcgrad.rules.registry import RuleTable
from srcgrad.runtime import (
    above_noise,
    average_back,
    divide_or_zero,
    expand_mean,
    expand_sum,
    given,
    is_number,
    numbers,
    prod_back,
    prod_initial_back,
    real_part,
    share_among_ties,
    shortcut,
    unbroadcast,
    var_back,
)

table = RuleTable("statistics")


@table.rule(np.prod)
class Prod(Function):
    """y = the product of a over axes; exact where elements are 0."""

    reduces = True

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
        y = np.prod(a, axis, dtype, out, keepdims, **given(initial=initial, where=where))
        ctx.axis, ctx.keepdims = axis, keepdims
        ctx.save_for_backward(a, where, initial)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        a, where, initial = ctx.saved_tensors
        grad_a = prod_back(grad, a, where, initial, ctx.axis, ctx.keepdims)
        grad_initial = prod_initial_back(grad, a, where, initial, ctx.axis, ctx.keepdims)
        return grad_a, None, None, None, None, grad_initial


@table.rule(np.nanprod)
class Nanprod(Function):
    """y = the product of what is not NaN."""

    reduces = True
    selects = True

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
        y = np.nanprod(a, axis, dtype, out, keepdims, **given(initial=initial, where=where))
        ctx.axis, ctx.keepdims = axis, keepdims
        ctx.save_for_backward(a, numbers(a, where), initial)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        a, where, initial = ctx.saved_tensors
        grad_a = prod_back(grad, a, where, initial, ctx.axis, ctx.keepdims)
        grad_initial = prod_initial_back(grad, a, where, initial, ctx.axis, ctx.keepdims)
        return grad_a, None, None, None, None, grad_initial


@table.rule(np.var)
class Var(Function):
    """y = the variance."""

    reduces = True

    @staticmethod
    def forward(
        ctx: Context,
        a: Any,
        axis: Any = None,
        dtype: Any = None,
        out: Any = None,
        ddof: float = 0,
        keepdims: bool = False,
        *,
        where: Any = True,
        mean: Any = None,
        correction: float | None = None,
    ) -> Any:
        y = np.var(
            a,
            axis,
            dtype,
            out,
            ddof,
            keepdims,
            **given(where=where, mean=mean, correction=correction),
        )
        ctx.axis, ctx.keepdims, ctx.ddof = (
            axis,
            keepdims,
            ddof if correction is None else correction,
        )
        ctx.plain = axis is None and not keepdims and where is True and mean is None
        ctx.whole = where is True and mean is None
        ctx.has_mean = mean is not None
        ctx.save_for_backward(a, where, mean)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        a, where, mean = ctx.saved_tensors
        if shortcut(ctx.plain):
            grad_a = 2 * real_part(grad) * (a - np.mean(a)) / (np.size(a) - ctx.ddof)
        elif is_number(ctx.axis) and shortcut(ctx.whole and ctx.keepdims is True):
            away = a - np.mean(a, axis=ctx.axis, keepdims=True)
            grad_a = 2 * real_part(grad) / (np.shape(a)[ctx.axis] - ctx.ddof) * away
        elif is_number(ctx.axis, 0) and shortcut(ctx.whole):
            away = a - np.mean(a, axis=0)
            grad_a = 2 * real_part(grad) / (np.shape(a)[0] - ctx.ddof) * away
        else:
            grad_a = var_back(grad, a, where, mean, ctx.axis, ctx.keepdims, ctx.ddof)
        grad_mean = unbroadcast(-grad_a, np.shape(mean)) if ctx.has_mean else None
        return grad_a, None, None, None, None, None, None, grad_mean


@table.rule(np.nanvar)
class Nanvar(Function):
    """y = the variance of what is not NaN."""

    reduces = True
    selects = True

    @staticmethod
    def forward(
        ctx: Context,
        a: Any,
        axis: Any = None,
        dtype: Any = None,
        out: Any = None,
        ddof: float = 0,
        keepdims: bool = False,
        *,
        where: Any = True,
        mean: Any = None,
        correction: float | None = None,
    ) -> Any:
        y = np.nanvar(
            a,
            axis,
            dtype,
            out,
            ddof,
            keepdims,
            **given(where=where, mean=mean, correction=correction),
        )
        ctx.axis, ctx.keepdims, ctx.ddof = (
            axis,
            keepdims,
            ddof if correction is None else correction,
        )
        ctx.has_mean = mean is not None
        ctx.save_for_backward(a, numbers(a, where), mean)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        a, where, mean = ctx.saved_tensors
        grad_a = var_back(grad, a, where, mean, ctx.axis, ctx.keepdims, ctx.ddof)
        grad_mean = unbroadcast(-grad_a, np.shape(mean)) if ctx.has_mean else None
        return grad_a, None, None, None, None, None, None, grad_mean


@table.rule(np.std)
class Std(Function):
    """y = the standard deviation, whose gradient is 0 where y is 0."""

    reduces = True

    @staticmethod
    def forward(
        ctx: Context,
        a: Any,
        axis: Any = None,
        dtype: Any = None,
        out: Any = None,
        ddof: float = 0,
        keepdims: bool = False,
        *,
        where: Any = True,
        mean: Any = None,
        correction: float | None = None,
    ) -> Any:
        y = np.std(
            a,
            axis,
            dtype,
            out,
            ddof,
            keepdims,
            **given(where=where, mean=mean, correction=correction),
        )
        ctx.axis, ctx.keepdims, ctx.ddof = (
            axis,
            keepdims,
            ddof if correction is None else correction,
        )
        ctx.plain = axis is None and not keepdims and where is True and mean is None
        ctx.whole = where is True and mean is None
        ctx.has_mean = mean is not None
        ctx.save_for_backward(a, where, mean, y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        a, where, mean, y = ctx.saved_tensors
        if shortcut(ctx.plain):
            slope = divide_or_zero(real_part(grad), above_noise(y, a)) / (np.size(a) - ctx.ddof)
            grad_a = slope * (a - np.mean(a))
        elif is_number(ctx.axis) and shortcut(ctx.whole and ctx.keepdims is True):
            slope = divide_or_zero(real_part(grad), above_noise(y, a, ctx.axis, True))
            away = a - np.mean(a, axis=ctx.axis, keepdims=True)
            grad_a = slope / (np.shape(a)[ctx.axis] - ctx.ddof) * away
        elif is_number(ctx.axis, 0) and shortcut(ctx.whole):
            slope = divide_or_zero(real_part(grad), above_noise(y, a, 0))
            grad_a = slope / (np.shape(a)[0] - ctx.ddof) * (a - np.mean(a, axis=0))
        else:
            spread = above_noise(y, a, ctx.axis, ctx.keepdims, where)
            grad_a = var_back(
                divide_or_zero(0.5 * grad, spread), a, where, mean, ctx.axis, ctx.keepdims, ctx.ddof
            )
        grad_mean = unbroadcast(-grad_a, np.shape(mean)) if ctx.has_mean else None
        return grad_a, None, None, None, None, None, None, grad_mean


@table.rule(np.nanstd)
class Nanstd(Function):
    """y = the standard deviation, whose gradient is 0 where y is 0."""

    reduces = True
    selects = True

    @staticmethod
    def forward(
        ctx: Context,
        a: Any,
        axis: Any = None,
        dtype: Any = None,
        out: Any = None,
        ddof: float = 0,
        keepdims: bool = False,
        *,
        where: Any = True,
        mean: Any = None,
        correction: float | None = None,
    ) -> Any:
        y = np.nanstd(
            a,
            axis,
            dtype,
            out,
            ddof,
            keepdims,
            **given(where=where, mean=mean, correction=correction),
        )
        ctx.axis, ctx.keepdims, ctx.ddof = (
            axis,
            keepdims,
            ddof if correction is None else correction,
        )
        ctx.has_mean = mean is not None
        ctx.save_for_backward(a, numbers(a, where), mean, y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        a, where, mean, y = ctx.saved_tensors
        spread = above_noise(y, a, ctx.axis, ctx.keepdims, where)
        grad_a = var_back(
            divide_or_zero(0.5 * grad, spread), a, where, mean, ctx.axis, ctx.keepdims, ctx.ddof
        )
        grad_mean = unbroadcast(-grad_a, np.shape(mean)) if ctx.has_mean else None
        return grad_a, None, None, None, None, None, None, grad_mean


@table.rule(np.nansum)
class Nansum(Function):
    """y = the sum of what is not NaN."""

    reduces = True
    selects = True

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
        ctx.shape, ctx.axis, ctx.keepdims = np.shape(a), axis, keepdims
        ctx.has_initial = initial is not None
        ctx.save_for_backward(numbers(a, where))
        return np.nansum(a, axis, dtype, out, keepdims, **given(initial=initial, where=where))

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (where,) = ctx.saved_tensors
        grad_a = expand_sum(grad, ctx.shape, ctx.axis, ctx.keepdims, where)
        grad_initial = np.sum(grad) if ctx.has_initial else None
        return grad_a, None, None, None, None, grad_initial


@table.rule(np.nanmean)
class Nanmean(Function):
    """y = the mean of what is not NaN."""

    reduces = True
    selects = True

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
        ctx.shape, ctx.axis, ctx.keepdims = np.shape(a), axis, keepdims
        ctx.save_for_backward(numbers(a, where))
        return np.nanmean(a, axis, dtype, out, keepdims, **given(where=where))

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (where,) = ctx.saved_tensors
        return expand_mean(grad, ctx.shape, ctx.axis, ctx.keepdims, where)


@table.rule(np.nanmax)
class Nanmax(Function):
    """y = the largest of what is not NaN; its gradient is split evenly among ties."""

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
        y = np.nanmax(a, axis, out, keepdims, **given(initial=initial, where=where))
        ctx.axis, ctx.keepdims, ctx.where = axis, keepdims, where
        ctx.save_for_backward(a, y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        a, y = ctx.saved_tensors
        return share_among_ties(grad, a, y, ctx.axis, ctx.keepdims, ctx.where)


@table.rule(np.nanmin)
class Nanmin(Function):
    """y = the smallest of what is not NaN; its gradient is split evenly among ties."""

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
        y = np.nanmin(a, axis, out, keepdims, **given(initial=initial, where=where))
        ctx.axis, ctx.keepdims, ctx.where = axis, keepdims, where
        ctx.save_for_backward(a, y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        a, y = ctx.saved_tensors
        return share_among_ties(grad, a, y, ctx.axis, ctx.keepdims, ctx.where)


@table.rule(np.ptp)
class Ptp(Function):
    """y = the largest of a less the smallest; each split evenly among ties."""

    reduces = True
    selects = True

    @staticmethod
    def forward(
        ctx: Context, a: Any, axis: Any = None, out: Any = None, keepdims: bool = False
    ) -> Any:
        ctx.axis, ctx.keepdims = axis, keepdims
        ctx.save_for_backward(a)
        return np.ptp(a, axis, out, keepdims)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (a,) = ctx.saved_tensors
        top = np.max(a, axis=ctx.axis, keepdims=ctx.keepdims)
        bottom = np.min(a, axis=ctx.axis, keepdims=ctx.keepdims)
        raised = share_among_ties(grad, a, top, ctx.axis, ctx.keepdims)
        return raised - share_among_ties(grad, a, bottom, ctx.axis, ctx.keepdims)


@table.rule(np.average)
class Average(Function):
    """y = the mean of a weighted by weights; the sum of weights is returned too if asked."""

    returns_one = ("returned", False)

    @staticmethod
    def forward(
        ctx: Context,
        a: Any,
        axis: Any = None,
        weights: Any = None,
        returned: bool = False,
        *,
        keepdims: bool = False,
    ) -> Any:
        result = np.average(a, axis, weights, returned, keepdims=keepdims)
        ctx.axis, ctx.keepdims, ctx.returned = axis, keepdims, returned
        ctx.save_for_backward(a, weights)
        return result

    @staticmethod
    def backward(ctx: Context, *grads: Any) -> Any:
        a, weights = ctx.saved_tensors
        if ctx.returned:
            grad, grad_total = grads
        else:
            grad, grad_total = grads[0], None
        grad_a, grad_weights = average_back(grad, grad_total, a, weights, ctx.axis, ctx.keepdims)
        return grad_a, None, grad_weights


RULES = table.freeze()
