"""Rules of the adjoints of differences."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.rules.base import Context, Function
from srcgrad.rules.registry import RuleTable
from srcgrad.runtime import (
    diff_back,
    diff_push,
    gradient_again,
    gradient_back,
    gradient_back_push,
    gradient_each,
    undo_diff,
)

table = RuleTable("calculus again")


@table.rule(undo_diff)
class UndoDiff(Function):
    """Minus the differences of grad between zeros."""

    linear = ("grad",)

    @staticmethod
    def forward(ctx: Context, grad: Any, axis: int) -> Any:
        ctx.axis = axis
        return undo_diff(grad, axis)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return np.diff(grad, axis=ctx.axis)


@table.rule(diff_back)
class DiffBack(Function):
    """The adjoints of an array and of what was put at its ends before differences were taken."""

    linear = ("grad",)

    @staticmethod
    def forward(ctx: Context, grad: Any, shapes: Any, n: int, axis: int) -> Any:
        ctx.shapes, ctx.n, ctx.axis = shapes, n, axis
        return diff_back(grad, shapes, n, axis)

    @staticmethod
    def backward(ctx: Context, *parts: Any) -> Any:
        return diff_push(parts, ctx.shapes, ctx.n, ctx.axis)


@table.rule(gradient_back)
class GradientBack(Function):
    """The adjoints of values of which differences were taken, and of the distances."""

    @staticmethod
    def forward(
        ctx: Context, grads: Any, f: Any, distances: Any, axis: Any, edge_order: int, wanted: Any
    ) -> Any:
        ctx.axis, ctx.edge_order, ctx.wanted = axis, edge_order, wanted
        ctx.save_for_backward(grads, f, distances)
        return gradient_back(grads, f, distances, axis, edge_order, wanted)

    @staticmethod
    def backward(ctx: Context, *parts: Any) -> Any:
        grads, f, distances = ctx.saved_tensors
        grad_grads, grad_f, grad_distances = None, None, None
        if ctx.needs_input_grad[0]:
            grad_grads = gradient_each(parts, f, distances, ctx.axis, ctx.edge_order)
        if ctx.needs_input_grad[1] or ctx.needs_input_grad[2]:
            grad_f, grad_distances = gradient_again(
                parts, grads, f, distances, ctx.axis, ctx.edge_order
            )
        return grad_grads, grad_f, grad_distances

    @staticmethod
    def jvp(ctx: Context, grads_dot: Any, f_dot: Any, distances_dot: Any, *others: Any) -> Any:
        grads, f, distances = ctx.saved_tensors
        dots = (grads_dot, f_dot, distances_dot)
        how = (ctx.axis, ctx.edge_order, ctx.wanted)
        return gradient_back_push(dots, grads, f, distances, how)


RULES = table.freeze()
