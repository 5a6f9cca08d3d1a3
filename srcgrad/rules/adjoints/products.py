"""Rules of the adjoints of products of several factors."""

from __future__ import annotations

from typing import Any

from srcgrad.rules.base import Context, Function
from srcgrad.rules.registry import RuleTable
from srcgrad.runtime import (
    einsum_again,
    einsum_back,
    einsum_back_push,
    einsum_push,
    extreme_push,
    multi_dot_again,
    multi_dot_back,
    multi_dot_back_push,
    multi_dot_push,
    product_again,
    product_back,
    product_back_push,
    product_push,
    shared_each,
)

table = RuleTable("products again")


@table.rule(multi_dot_back)
class MultiDotBack(Function):
    """The adjoints of the factors of a product of matrices."""

    @staticmethod
    def forward(ctx: Context, grad: Any, arrays: Any) -> Any:
        ctx.save_for_backward(grad, arrays)
        return multi_dot_back(grad, arrays)

    @staticmethod
    def backward(ctx: Context, *parts: Any) -> Any:
        grad, arrays = ctx.saved_tensors
        return multi_dot_push(parts, arrays), multi_dot_again(parts, grad, arrays)

    @staticmethod
    def jvp(ctx: Context, grad_dot: Any, arrays_dot: Any) -> Any:
        grad, arrays = ctx.saved_tensors
        return multi_dot_back_push(grad_dot, arrays_dot, grad, arrays)


@table.rule(einsum_back)
class EinsumBack(Function):
    """The adjoints of the operands of a sum of products."""

    @staticmethod
    def forward(ctx: Context, grad: Any, operands: Any, wanted: Any) -> Any:
        ctx.wanted = wanted
        ctx.save_for_backward(grad, operands)
        return einsum_back(grad, operands, wanted)

    @staticmethod
    def backward(ctx: Context, *parts: Any) -> Any:
        grad, operands = ctx.saved_tensors
        grad_grad = einsum_push(parts, operands, ctx.wanted)
        grad_operands = einsum_again(parts, grad, operands, ctx.wanted)
        return grad_grad, grad_operands

    @staticmethod
    def jvp(ctx: Context, grad_dot: Any, operands_dot: Any, *others: Any) -> Any:
        grad, operands = ctx.saved_tensors
        return einsum_back_push(grad_dot, operands_dot, grad, operands, ctx.wanted)


@table.rule(product_back)
class ProductBack(Function):
    """The adjoints of the items of a product and of what it started from."""

    @staticmethod
    def forward(ctx: Context, grad: Any, items: Any, start: Any) -> Any:
        ctx.save_for_backward(grad, items, start)
        return product_back(grad, items, start)

    @staticmethod
    def backward(ctx: Context, parts: Any, last: Any) -> Any:
        grad, items, start = ctx.saved_tensors
        grad_grad = product_push((*parts, last), (*items, start))
        grad_items, grad_start = product_again((*parts, last), grad, items, start)
        return grad_grad, grad_items, grad_start

    @staticmethod
    def jvp(ctx: Context, grad_dot: Any, items_dot: Any, start_dot: Any) -> Any:
        grad, items, start = ctx.saved_tensors
        return product_back_push(grad_dot, (items_dot, start_dot), grad, items, start)


@table.rule(shared_each)
class SharedEach(Function):
    """Grad for the arguments that are the extreme."""

    linear = ("grad",)
    inert = ("args", "extreme")

    @staticmethod
    def forward(ctx: Context, grad: Any, args: Any, extreme: Any) -> Any:
        ctx.save_for_backward(args, extreme)
        return shared_each(grad, args, extreme)

    @staticmethod
    def backward(ctx: Context, *parts: Any) -> Any:
        args, extreme = ctx.saved_tensors
        return extreme_push(parts, args, extreme)


RULES = table.freeze()
