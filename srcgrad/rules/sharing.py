"""Rules of how gradients share, gather and add adjoints up, which second derivatives meet."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.rules.base import Context, Function
from srcgrad.rules.registry import RuleTable
from srcgrad.runtime import (
    accumulate,
    copied,
    copied_like,
    expand_mean,
    expand_sum,
    gathered,
    given,
    last_written,
    placed,
    regathered,
    shadow_of_view,
    share_among_ties,
)

table = RuleTable("sharing")


@table.rule(share_among_ties)
class ShareAmongTies(Function):
    """Grad for the elements of a that are its extreme, split evenly."""

    linear = ("grad",)
    inert = ("a", "extreme")

    @staticmethod
    def forward(
        ctx: Context,
        grad: Any,
        a: Any,
        extreme: Any,
        axis: Any = None,
        keepdims: bool = False,
        where: Any = True,
    ) -> Any:
        ctx.axis, ctx.keepdims, ctx.where = axis, keepdims, where
        ctx.save_for_backward(a, extreme)
        return share_among_ties(grad, a, extreme, axis, keepdims, where)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        a, extreme = ctx.saved_tensors
        ones = np.ones_like(extreme)
        shares = share_among_ties(ones, a, extreme, ctx.axis, ctx.keepdims, ctx.where)
        return np.sum(grad * shares, axis=ctx.axis, keepdims=ctx.keepdims)


@table.rule(expand_sum)
class ExpandSum(Function):
    """Grad for each element that a sum has added."""

    linear = ("grad",)

    @staticmethod
    def forward(
        ctx: Context, grad: Any, shape: Any, axis: Any, keepdims: bool, where: Any = True
    ) -> Any:
        ctx.axis, ctx.keepdims, ctx.where = axis, keepdims, where
        return expand_sum(grad, shape, axis, keepdims, where)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return np.sum(grad, axis=ctx.axis, keepdims=ctx.keepdims, **given(where=ctx.where))


@table.rule(expand_mean)
class ExpandMean(Function):
    """Its share of grad for each element of a mean."""

    linear = ("grad",)

    @staticmethod
    def forward(
        ctx: Context, grad: Any, shape: Any, axis: Any, keepdims: bool, where: Any = True
    ) -> Any:
        ctx.axis, ctx.keepdims, ctx.where = axis, keepdims, where
        return expand_mean(grad, shape, axis, keepdims, where)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return np.mean(grad, axis=ctx.axis, keepdims=ctx.keepdims, **given(where=ctx.where))


@table.rule(accumulate)
class Accumulate(Function):
    """The sum of two adjoints of one structure."""

    linear = ("total", "grad")

    @staticmethod
    def forward(ctx: Context, total: Any, grad: Any) -> Any:
        return accumulate(total, grad)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return grad, grad


@table.rule(copied_like)
class CopiedLike(Function):
    """A copy of tangent in the layout of x."""

    linear = ("tangent",)
    inert = ("x",)

    @staticmethod
    def forward(ctx: Context, tangent: Any, x: Any) -> Any:
        return copied_like(tangent, x)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return grad


@table.rule(gathered)
class Gathered(Function):
    """The adjoints of the items of a sequence in one."""

    linear = ("parts",)
    inert = ("like",)

    @staticmethod
    def forward(ctx: Context, parts: Any, like: Any) -> Any:
        ctx.parts, ctx.like = copied(parts), like  # the list may lose its items later
        return gathered(parts, like)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return regathered(grad, ctx.parts, ctx.like)


@table.rule(regathered)
class Regathered(Function):
    """What gathered put into one, taken apart again."""

    linear = ("grad",)
    inert = ("parts", "like")

    @staticmethod
    def forward(ctx: Context, grad: Any, parts: Any, like: Any) -> Any:
        ctx.like = like
        return regathered(grad, parts, like)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return gathered(grad, ctx.like)


@table.rule(last_written)
class LastWritten(Function):
    """The elements of grad at index, without those that a later one of the index overwrote."""

    linear = ("grad",)
    inert = ("index",)

    @staticmethod
    def forward(ctx: Context, grad: Any, index: Any) -> Any:
        ctx.shape, ctx.index = np.shape(grad), index
        return last_written(grad, index)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return placed(grad, ctx.index, ctx.shape)


@table.rule(placed)
class Placed(Function):
    """Zeros with grad written at index."""

    linear = ("grad",)
    inert = ("index",)

    @staticmethod
    def forward(ctx: Context, grad: Any, index: Any, shape: Any) -> Any:
        ctx.index = index
        return placed(grad, index, shape)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return last_written(grad, ctx.index)


@table.rule(shadow_of_view)
class ShadowOfView(Function):
    """The same view of a shadow as part is of whole, or zeros if that is none."""

    linear = ("shadow",)
    inert = ("part", "whole")

    @staticmethod
    def forward(ctx: Context, shadow: Any, part: Any, whole: Any) -> Any:
        ctx.save_for_backward(part, whole)
        return shadow_of_view(shadow, part, whole)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        part, whole = ctx.saved_tensors
        return grad * np.may_share_memory(part, whole)


RULES = table.freeze()
