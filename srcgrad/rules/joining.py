"""Rules of functions that join several arrays to one."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.rules.base import Context, Function
from srcgrad.rules.registry import RuleTable
from srcgrad.runtime import (
    block_back,
    given,
    join_columns,
    join_pieces,
    join_rows,
    nested_shapes,
    restack,
    split_column_stack,
    split_columns,
    split_dstack,
    split_hstack,
    split_like,
    split_rows,
    split_vstack,
    unstack_like,
)

table = RuleTable("joining")


@table.rule(np.concatenate)
class Concatenate(Function):
    """Arrays one after the other along an axis they have."""

    linear = ("arrays",)

    @staticmethod
    def forward(
        ctx: Context,
        arrays: Any,
        /,
        axis: int | None = 0,
        out: Any = None,
        *,
        dtype: Any = None,
        casting: Any = None,
    ) -> Any:
        ctx.shapes, ctx.axis = [np.shape(array) for array in arrays], axis
        return np.concatenate(arrays, axis, out, **given(dtype=dtype, casting=casting))

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return (split_like(grad, ctx.shapes, ctx.axis),)


@table.rule(np.stack)
class Stack(Function):
    """Arrays of one shape along a new axis."""

    linear = ("arrays",)

    @staticmethod
    def forward(
        ctx: Context,
        arrays: Any,
        axis: int = 0,
        out: Any = None,
        *,
        dtype: Any = None,
        casting: Any = None,
    ) -> Any:
        ctx.axis = axis
        return np.stack(arrays, axis, out, **given(dtype=dtype, casting=casting))

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return (unstack_like(grad, ctx.axis),)


@table.rule(join_rows)
class JoinRows(Function):
    """Arrays one after the other, as ``np.r_[a, b]`` puts them."""

    linear = ("arrays",)

    @staticmethod
    def forward(ctx: Context, arrays: Any) -> Any:
        ctx.shapes = [np.shape(array) for array in arrays]
        return join_rows(arrays)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return (split_rows(grad, ctx.shapes),)


@table.rule(join_columns)
class JoinColumns(Function):
    """Arrays beside each other, as ``np.c_[a, b]`` puts them."""

    linear = ("arrays",)

    @staticmethod
    def forward(ctx: Context, arrays: Any) -> Any:
        ctx.shapes = [np.shape(array) for array in arrays]
        return join_columns(arrays)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return (split_columns(grad, ctx.shapes),)


@table.rule(np.hstack)
class Hstack(Function):
    """Arrays beside each other, along the second axis if there is one."""

    linear = ("tup",)

    @staticmethod
    def forward(ctx: Context, tup: Any, *, dtype: Any = None, casting: Any = None) -> Any:
        ctx.shapes = [np.shape(array) for array in tup]
        return np.hstack(tup, **given(dtype=dtype, casting=casting))

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return (split_hstack(grad, ctx.shapes),)


@table.rule(np.vstack)
class Vstack(Function):
    """Arrays below each other, as rows."""

    linear = ("tup",)

    @staticmethod
    def forward(ctx: Context, tup: Any, *, dtype: Any = None, casting: Any = None) -> Any:
        ctx.shapes = [np.shape(array) for array in tup]
        return np.vstack(tup, **given(dtype=dtype, casting=casting))

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return (split_vstack(grad, ctx.shapes),)


@table.rule(np.dstack)
class Dstack(Function):
    """Arrays behind each other, along the third axis."""

    linear = ("tup",)

    @staticmethod
    def forward(ctx: Context, tup: Any) -> Any:
        ctx.shapes = [np.shape(array) for array in tup]
        return np.dstack(tup)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return (split_dstack(grad, ctx.shapes),)


@table.rule(np.column_stack)
class ColumnStack(Function):
    """Vectors as columns, matrices as they are, beside each other."""

    linear = ("tup",)

    @staticmethod
    def forward(ctx: Context, tup: Any) -> Any:
        ctx.shapes = [np.shape(array) for array in tup]
        return np.column_stack(tup)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return (split_column_stack(grad, ctx.shapes),)


@table.rule(np.append)
class Append(Function):
    """values after arr."""

    linear = ("arr", "values")

    @staticmethod
    def forward(ctx: Context, arr: Any, values: Any, axis: int | None = None) -> Any:
        ctx.shapes, ctx.axis = (np.shape(arr), np.shape(values)), axis
        return np.append(arr, values, axis)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        grad_arr, grad_values = split_like(grad, ctx.shapes, ctx.axis)
        return grad_arr, grad_values


@table.rule(np.block)
class Block(Function):
    """Arrays put together as nested lists arrange them."""

    linear = ("arrays",)

    @staticmethod
    def forward(ctx: Context, arrays: Any) -> Any:
        ctx.shapes = nested_shapes(arrays)
        return np.block(arrays)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return (block_back(grad, ctx.shapes),)


@table.rule(np.split)
class Split(Function):
    """The pieces of ary along an axis."""

    linear = ("ary",)

    @staticmethod
    def forward(ctx: Context, ary: Any, indices_or_sections: Any, axis: int = 0) -> Any:
        ctx.shape, ctx.axis, ctx.sections = np.shape(ary), axis, indices_or_sections
        return np.split(ary, indices_or_sections, axis)

    @staticmethod
    def backward(ctx: Context, *grads: Any) -> Any:
        return join_pieces(grads, ctx.shape, ctx.sections, ctx.axis)


@table.rule(np.array_split)
class ArraySplit(Function):
    """The pieces of ary along an axis."""

    linear = ("ary",)

    @staticmethod
    def forward(ctx: Context, ary: Any, indices_or_sections: Any, axis: int = 0) -> Any:
        ctx.shape, ctx.axis, ctx.sections = np.shape(ary), axis, indices_or_sections
        return np.array_split(ary, indices_or_sections, axis)

    @staticmethod
    def backward(ctx: Context, *grads: Any) -> Any:
        return join_pieces(grads, ctx.shape, ctx.sections, ctx.axis)


@table.rule(np.hsplit)
class Hsplit(Function):
    """The pieces of ary along its second axis."""

    linear = ("ary",)

    @staticmethod
    def forward(ctx: Context, ary: Any, indices_or_sections: Any) -> Any:
        ctx.shape, ctx.sections, ctx.axis = (
            np.shape(ary),
            indices_or_sections,
            min(np.ndim(ary) - 1, 1),
        )
        return np.hsplit(ary, indices_or_sections)

    @staticmethod
    def backward(ctx: Context, *grads: Any) -> Any:
        return join_pieces(grads, ctx.shape, ctx.sections, ctx.axis)


@table.rule(np.vsplit)
class Vsplit(Function):
    """The pieces of ary along its first axis."""

    linear = ("ary",)

    @staticmethod
    def forward(ctx: Context, ary: Any, indices_or_sections: Any) -> Any:
        ctx.shape, ctx.sections = np.shape(ary), indices_or_sections
        return np.vsplit(ary, indices_or_sections)

    @staticmethod
    def backward(ctx: Context, *grads: Any) -> Any:
        return join_pieces(grads, ctx.shape, ctx.sections, 0)


@table.rule(np.dsplit)
class Dsplit(Function):
    """The pieces of ary along its third axis."""

    linear = ("ary",)

    @staticmethod
    def forward(ctx: Context, ary: Any, indices_or_sections: Any) -> Any:
        ctx.shape, ctx.sections = np.shape(ary), indices_or_sections
        return np.dsplit(ary, indices_or_sections)

    @staticmethod
    def backward(ctx: Context, *grads: Any) -> Any:
        return join_pieces(grads, ctx.shape, ctx.sections, 2)


@table.rule(np.unstack)
class Unstack(Function):
    """The slices of x along an axis."""

    linear = ("x",)

    @staticmethod
    def forward(ctx: Context, x: Any, /, *, axis: int = 0) -> Any:
        ctx.axis = axis
        return np.unstack(x, axis=axis)

    @staticmethod
    def backward(ctx: Context, *grads: Any) -> Any:
        return restack(grads, ctx.axis)


RULES = table.freeze()
