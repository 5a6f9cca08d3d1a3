"""Rules of functions that pick elements by index or by a condition."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from srcgrad.rules.base import Context, Function
from srcgrad.rules.registry import RuleTable
from srcgrad.runtime import (
    choose_back,
    compress,
    gather,
    gather_back,
    getitem,
    insert_back,
    item,
    item_index,
    item_shapes,
    places,
    put_along_axis,
    scatter,
    select_back,
    take_along,
    take_back,
    unbroadcast,
)

table = RuleTable("indexing")


@table.rule(getitem, operator.getitem)
class Getitem(Function):
    """y = x[index], whatever the index selects."""

    linear = ("x",)
    inert = ("index",)

    @staticmethod
    def forward(ctx: Context, x: Any, index: Any) -> Any:
        ctx.shape, ctx.index = np.shape(x), index
        return x[index]

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return scatter(grad, ctx.index, ctx.shape)


@table.rule(np.where)
class Where(Function):
    """z = x where the condition holds, else y; what is not selected gets exactly 0."""

    linear = ("x", "y")
    inert = ("condition",)
    spreads = True

    @staticmethod
    def forward(ctx: Context, condition: Any, x: Any, y: Any, /) -> Any:
        ctx.x_shape, ctx.y_shape = np.shape(x), np.shape(y)
        ctx.save_for_backward(condition)
        return np.where(condition, x, y)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (condition,) = ctx.saved_tensors
        grad_x, grad_y = None, None
        if ctx.needs_input_grad[1]:
            grad_x = unbroadcast(np.where(condition, grad, 0.0), ctx.x_shape)
        if ctx.needs_input_grad[2]:
            grad_y = unbroadcast(np.where(condition, 0.0, grad), ctx.y_shape)
        return None, grad_x, grad_y


@table.rule(np.take)
class Take(Function):
    """The elements of a at indices along an axis."""

    linear = ("a",)
    inert = ("indices",)

    @staticmethod
    def forward(
        ctx: Context,
        a: Any,
        indices: Any,
        axis: int | None = None,
        out: Any = None,
        mode: str = "raise",
    ) -> Any:
        ctx.shape, ctx.indices, ctx.axis, ctx.mode = np.shape(a), indices, axis, mode
        return np.take(a, indices, axis, out, mode)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return take_back(grad, ctx.indices, ctx.shape, ctx.axis, ctx.mode)


@table.rule(np.take_along_axis)
class TakeAlongAxis(Function):
    """One element of arr for each index, along an axis."""

    linear = ("arr",)
    inert = ("indices",)

    @staticmethod
    def forward(ctx: Context, arr: Any, indices: Any, axis: int | None = -1) -> Any:
        ctx.shape, ctx.indices, ctx.axis = np.shape(arr), indices, axis
        return np.take_along_axis(arr, indices, axis)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return put_along_axis(grad, ctx.indices, ctx.shape, ctx.axis)


@table.rule(put_along_axis)
class PutAlongAxis(Function):
    """Zeros with grad added at indices along an axis."""

    linear = ("grad",)
    inert = ("indices",)

    @staticmethod
    def forward(ctx: Context, grad: Any, indices: Any, shape: Any, axis: int | None) -> Any:
        ctx.indices, ctx.axis = indices, axis
        return put_along_axis(grad, indices, shape, axis)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return take_along(grad, ctx.indices, ctx.axis)


@table.rule(np.choose)
class Choose(Function):
    """For each index, the element of the array of that number."""

    linear = ("choices",)

    @staticmethod
    def forward(ctx: Context, a: Any, choices: Any, out: Any = None, mode: str = "raise") -> Any:
        ctx.index, ctx.shapes, ctx.mode = a, item_shapes(choices), mode
        return np.choose(a, choices, out, mode)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return None, choose_back(grad, ctx.index, ctx.shapes, ctx.mode)


@table.rule(np.compress)
class Compress(Function):
    """The slices of a for which the condition holds."""

    linear = ("a",)

    @staticmethod
    def forward(
        ctx: Context, condition: Any, a: Any, axis: int | None = None, out: Any = None
    ) -> Any:
        ctx.condition, ctx.shape, ctx.axis = condition, np.shape(a), axis
        return np.compress(condition, a, axis, out)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return None, take_back(grad, np.flatnonzero(ctx.condition), ctx.shape, ctx.axis, "raise")


@table.rule(np.extract)
class Extract(Function):
    """The elements of arr for which the condition holds."""

    linear = ("arr",)

    @staticmethod
    def forward(ctx: Context, condition: Any, arr: Any) -> Any:
        ctx.condition, ctx.shape = condition, np.shape(arr)
        return np.extract(condition, arr)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return None, take_back(grad, np.flatnonzero(ctx.condition), ctx.shape, None, "raise")


@table.rule(np.select)
class Select(Function):
    """For each element, the choice of the first condition that holds."""

    linear = ("choicelist", "default")

    @staticmethod
    def forward(ctx: Context, condlist: Any, choicelist: Any, default: Any = 0) -> Any:
        ctx.conditions, ctx.shapes, ctx.default_shape = (
            condlist,
            item_shapes(choicelist),
            np.shape(default),
        )
        return np.select(condlist, choicelist, default)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        grad_choices, grad_default = select_back(
            grad, ctx.conditions, ctx.shapes, ctx.default_shape
        )
        return None, grad_choices, grad_default


@table.rule(np.delete)
class Delete(Function):
    """The elements of arr without some."""

    linear = ("arr",)

    @staticmethod
    def forward(ctx: Context, arr: Any, obj: Any, axis: int | None = None) -> Any:
        ctx.shape, ctx.obj, ctx.axis = np.shape(arr), obj, axis
        return np.delete(arr, obj, axis)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return gather_back(grad, np.delete(places(ctx.shape), ctx.obj, ctx.axis), ctx.shape)


@table.rule(np.insert)
class Insert(Function):
    """The elements of arr with values between them."""

    linear = ("arr", "values")

    @staticmethod
    def forward(ctx: Context, arr: Any, obj: Any, values: Any, axis: int | None = None) -> Any:
        ctx.shape, ctx.values_shape, ctx.obj, ctx.axis = np.shape(arr), np.shape(values), obj, axis
        return np.insert(arr, obj, values, axis)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        grad_arr, grad_values = insert_back(grad, ctx.shape, ctx.values_shape, ctx.obj, ctx.axis)
        return grad_arr, None, grad_values


@table.rule(gather_back)
class GatherBack(Function):
    """Zeros with grad added at flat places."""

    linear = ("grad",)
    inert = ("source",)

    @staticmethod
    def forward(ctx: Context, grad: Any, source: Any, shape: Any) -> Any:
        ctx.source = source
        return gather_back(grad, source, shape)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return gather(grad, ctx.source)


@table.rule(compress)
class CompressMethod(Function):
    """The slices of x for which the condition holds, as the method of an array takes them."""

    linear = ("x",)

    @staticmethod
    def forward(ctx: Context, x: Any, condition: Any, axis: int | None = None) -> Any:
        ctx.condition, ctx.shape, ctx.axis = condition, np.shape(x), axis
        return compress(x, condition, axis)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return take_back(grad, np.flatnonzero(ctx.condition), ctx.shape, ctx.axis, "raise")


@table.rule(item)
class Item(Function):
    """One element of x as a Python number."""

    linear = ("x",)

    @staticmethod
    def forward(ctx: Context, x: Any, *index: Any) -> Any:
        ctx.shape, ctx.index = np.shape(x), index
        return item(x, *index)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return scatter(grad, item_index(ctx.shape, ctx.index), ctx.shape)


RULES = table.freeze()
