"""Rules of functions that return distinct values, and of histograms in their weights."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.rules.base import Context, Function
from srcgrad.rules.registry import RuleTable
from srcgrad.runtime import (
    distinct_back,
    distinct_take,
    edges_back,
    ends_back,
    histogram_back,
)

table = RuleTable("distinct")


@table.rule(np.unique)
class Unique(Function):
    """The distinct values in rising order; of equal elements the first gets the gradient."""

    @staticmethod
    def forward(ctx: Context, ar: Any, *, equal_nan: bool = True) -> Any:
        y = np.unique(ar, equal_nan=equal_nan)
        ctx.save_for_backward(ar, y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        ar, y = ctx.saved_tensors
        return distinct_back(grad, ar, y)

    @staticmethod
    def jvp(ctx: Context, ar_dot: Any, *options: Any) -> Any:
        ar, y = ctx.saved_tensors
        return distinct_take(ar_dot, ar, y)


@table.rule(np.unique_values)
class UniqueValues(Function):
    """The distinct values; of equal elements the first gets the gradient."""

    @staticmethod
    def forward(ctx: Context, x: Any) -> Any:
        y = np.unique_values(x)
        ctx.save_for_backward(x, y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        x, y = ctx.saved_tensors
        return distinct_back(grad, x, y)

    @staticmethod
    def jvp(ctx: Context, x_dot: Any) -> Any:
        x, y = ctx.saved_tensors
        return distinct_take(x_dot, x, y)


@table.rule(distinct_back)
class DistinctBack(Function):
    """Zeros with the gradient of each value at its first place."""

    linear = ("grad",)
    inert = ("x", "values")  # they say which places these are, which is constant between jumps

    @staticmethod
    def forward(ctx: Context, grad: Any, x: Any, values: Any) -> Any:
        ctx.save_for_backward(x, values)
        return distinct_back(grad, x, values)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        x, values = ctx.saved_tensors
        return distinct_take(grad, x, values)


@table.rule(distinct_take)
class DistinctTake(Function):
    """The elements at the first place of each value."""

    linear = ("tangent",)
    inert = ("x", "values")

    @staticmethod
    def forward(ctx: Context, tangent: Any, x: Any, values: Any) -> Any:
        ctx.save_for_backward(x, values)
        return distinct_take(tangent, x, values)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        x, values = ctx.saved_tensors
        return distinct_back(grad, x, values)


@table.rule(np.histogram)
class Histogram(Function):
    """The sum of the weights in each bin, and the edges of the bins.

    Which bin an element is in is constant between jumps.
    """

    @staticmethod
    def forward(
        ctx: Context, a: Any, bins: Any = 10, range: Any = None, *, weights: Any = None
    ) -> Any:
        result = np.histogram(a, bins, range, weights=weights)
        ctx.ends_in_a = range is None and np.ndim(bins) == 0  # the outer edges are elements of a
        ctx.even = np.ndim(bins) == 0
        ctx.save_for_backward(a, result[1])
        return result

    @staticmethod
    def backward(ctx: Context, grad: Any, grad_edges: Any) -> Any:
        a, edges = ctx.saved_tensors
        grad_weights = histogram_back(grad, a, edges) if ctx.needs_input_grad[3] else None
        grad_a = edges_back(grad_edges, a, ctx.ends_in_a) if ctx.needs_input_grad[0] else None
        grad_bins = grad_edges if ctx.needs_input_grad[1] else None
        grad_range = ends_back(grad_edges, ctx.even) if ctx.needs_input_grad[2] else None
        return grad_a, grad_bins, grad_range, grad_weights


RULES = table.freeze()
