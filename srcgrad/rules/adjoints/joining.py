"""Rules of the adjoints of functions that join arrays, which join the adjoints again."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.rules.base import Context, Function
from srcgrad.rules.registry import RuleTable
from srcgrad.runtime import (
    block_back,
    broadcast_each,
    item_shapes,
    join_blocks,
    join_columns,
    join_rows,
    meshgrid_back,
    reshape_each,
    restack,
    several,
    several_back,
    split_column_stack,
    split_columns,
    split_dstack,
    split_hstack,
    split_like,
    split_rows,
    split_vstack,
    spread_over_grid,
    unbroadcast_each,
    unstack_like,
)

table = RuleTable("joining again")


@table.rule(split_like)
class SplitLike(Function):
    """Grad cut along an axis."""

    linear = ("grad",)

    @staticmethod
    def forward(ctx: Context, grad: Any, shapes: Any, axis: int | None) -> Any:
        ctx.axis = axis
        return split_like(grad, shapes, axis)

    @staticmethod
    def backward(ctx: Context, *parts: Any) -> Any:
        return np.concatenate(parts, axis=ctx.axis)


@table.rule(split_hstack)
class SplitHstack(Function):
    """Grad cut as `np.hstack` has joined it."""

    linear = ("grad",)

    @staticmethod
    def forward(ctx: Context, grad: Any, shapes: Any) -> Any:
        return split_hstack(grad, shapes)

    @staticmethod
    def backward(ctx: Context, *parts: Any) -> Any:
        return np.hstack(parts)


@table.rule(split_vstack)
class SplitVstack(Function):
    """Grad cut as `np.vstack` has joined it."""

    linear = ("grad",)

    @staticmethod
    def forward(ctx: Context, grad: Any, shapes: Any) -> Any:
        return split_vstack(grad, shapes)

    @staticmethod
    def backward(ctx: Context, *parts: Any) -> Any:
        return np.vstack(parts)


@table.rule(split_dstack)
class SplitDstack(Function):
    """Grad cut as `np.dstack` has joined it."""

    linear = ("grad",)

    @staticmethod
    def forward(ctx: Context, grad: Any, shapes: Any) -> Any:
        return split_dstack(grad, shapes)

    @staticmethod
    def backward(ctx: Context, *parts: Any) -> Any:
        return np.dstack(parts)


@table.rule(split_column_stack)
class SplitColumnStack(Function):
    """Grad cut as `np.column_stack` has joined it."""

    linear = ("grad",)

    @staticmethod
    def forward(ctx: Context, grad: Any, shapes: Any) -> Any:
        return split_column_stack(grad, shapes)

    @staticmethod
    def backward(ctx: Context, *parts: Any) -> Any:
        return np.column_stack(parts)


@table.rule(split_rows)
class SplitRows(Function):
    """Grad cut as ``np.r_[a, b]`` has joined it."""

    linear = ("grad",)

    @staticmethod
    def forward(ctx: Context, grad: Any, shapes: Any) -> Any:
        return split_rows(grad, shapes)

    @staticmethod
    def backward(ctx: Context, *parts: Any) -> Any:
        return join_rows(parts)


@table.rule(split_columns)
class SplitColumns(Function):
    """Grad cut as ``np.c_[a, b]`` has joined it."""

    linear = ("grad",)

    @staticmethod
    def forward(ctx: Context, grad: Any, shapes: Any) -> Any:
        return split_columns(grad, shapes)

    @staticmethod
    def backward(ctx: Context, *parts: Any) -> Any:
        return join_columns(parts)


@table.rule(block_back)
class BlockBack(Function):
    """Grad cut into nested blocks."""

    linear = ("grad",)

    @staticmethod
    def forward(ctx: Context, grad: Any, shapes: Any) -> Any:
        return block_back(grad, shapes)

    @staticmethod
    def backward(ctx: Context, *parts: Any) -> Any:
        return join_blocks(parts)


@table.rule(reshape_each)
class ReshapeEach(Function):
    """Several adjoints, each in its shape."""

    linear = ("grads",)

    @staticmethod
    def forward(ctx: Context, grads: Any, shapes: Any) -> Any:
        ctx.shapes = item_shapes(grads)
        return reshape_each(grads, shapes)

    @staticmethod
    def backward(ctx: Context, *parts: Any) -> Any:
        return (reshape_each(parts, ctx.shapes),)


@table.rule(unbroadcast_each)
class UnbroadcastEach(Function):
    """Several adjoints, each summed to its shape."""

    linear = ("grads",)

    @staticmethod
    def forward(ctx: Context, grads: Any, shapes: Any) -> Any:
        ctx.shapes = item_shapes(grads)
        return unbroadcast_each(grads, shapes)

    @staticmethod
    def backward(ctx: Context, *parts: Any) -> Any:
        return (broadcast_each(parts, ctx.shapes),)


@table.rule(meshgrid_back)
class MeshgridBack(Function):
    """Adjoints of grids, each summed to its coordinate."""

    linear = ("grads",)

    @staticmethod
    def forward(ctx: Context, grads: Any, shapes: Any, indexing: str) -> Any:
        ctx.shapes, ctx.indexing = item_shapes(grads), indexing
        return meshgrid_back(grads, shapes, indexing)

    @staticmethod
    def backward(ctx: Context, *parts: Any) -> Any:
        return (spread_over_grid(parts, ctx.shapes, ctx.indexing),)


@table.rule(restack)
class Restack(Function):
    """Adjoints of slices, put together."""

    linear = ("grads",)

    @staticmethod
    def forward(ctx: Context, grads: Any, axis: int) -> Any:
        ctx.axis = axis
        return restack(grads, axis)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return (unstack_like(grad, ctx.axis),)


@table.rule(several)
class Several(Function):
    """The adjoints of what may be one result or a list of them."""

    linear = ("grad",)

    @staticmethod
    def forward(ctx: Context, grad: Any, *used: int) -> Any:
        ctx.like = grad
        return several(grad, *used)

    @staticmethod
    def backward(ctx: Context, *parts: Any) -> Any:
        return several_back(parts, ctx.like)


RULES = table.freeze()
