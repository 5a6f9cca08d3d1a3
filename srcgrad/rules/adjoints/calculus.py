"""Rules of the adjoints of differences."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.rules.base import Context, Function
from srcgrad.rules.registry import RuleTable
from srcgrad.runtime import diff_back, diff_push, gradient_back, gradient_each, undo_diff

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
    """The adjoint of values of which differences were taken, over distances that are constant."""

    linear = ("grads",)
    inert = ("f",)

    @staticmethod
    def forward(
        ctx: Context, grads: Any, f: Any, distances: Any, axis: Any, edge_order: int, wanted: Any
    ) -> Any:
        ctx.distances, ctx.axis, ctx.edge_order = distances, axis, edge_order
        return gradient_back(grads, f, distances, axis, edge_order, wanted)

    @staticmethod
    def backward(ctx: Context, *parts: Any) -> Any:
        return (gradient_each(parts[0], ctx.distances, ctx.axis, ctx.edge_order),)


RULES = table.freeze()
