"""Rules of functions that give the same elements another shape or order."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.rules.base import Context, Function
from srcgrad.rules.registry import RuleTable
from srcgrad.runtime import (
    given,
    inverse_axes,
    read_order,
    reshape_back,
    reshape_each,
    rollaxis_back,
    shortcut,
)

table = RuleTable("shapes")


@table.rule(np.reshape)
class Reshape(Function):
    """The same elements in another shape."""

    linear = ("a",)

    @staticmethod
    def forward(
        ctx: Context, a: Any, /, shape: Any, order: str = "C", *, copy: bool | None = None
    ) -> Any:
        ctx.shape, ctx.order, ctx.read = np.shape(a), order, read_order(a, order)
        return np.reshape(a, shape, order, **given(copy=copy))

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        if shortcut(ctx.order == "C"):
            grad_a = np.reshape(grad, ctx.shape)
        else:
            grad_a = reshape_back(grad, ctx.shape, ctx.read)
        return grad_a


@table.rule(np.transpose)
class Transpose(Function):
    """The same elements with their axes permuted, or reversed."""

    linear = ("a",)

    @staticmethod
    def forward(ctx: Context, a: Any, axes: Any = None) -> Any:
        ctx.axes = axes
        return np.transpose(a, axes)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        if shortcut(ctx.axes is None):
            grad_a = np.transpose(grad)
        else:
            grad_a = np.transpose(grad, inverse_axes(ctx.axes))
        return grad_a


@table.rule(np.ravel)
class Ravel(Function):
    """The same elements along one axis."""

    linear = ("a",)

    @staticmethod
    def forward(ctx: Context, a: Any, order: str = "C") -> Any:
        ctx.shape, ctx.order, ctx.read = np.shape(a), order, read_order(a, order)
        return np.ravel(a, order)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        if shortcut(ctx.order == "C"):
            grad_a = np.reshape(grad, ctx.shape)
        else:
            grad_a = reshape_back(grad, ctx.shape, ctx.read)
        return grad_a


@table.rule(np.squeeze)
class Squeeze(Function):
    """The same elements without axes of length one."""

    linear = ("a",)

    @staticmethod
    def forward(ctx: Context, a: Any, axis: Any = None) -> Any:
        ctx.shape = np.shape(a)
        return np.squeeze(a, axis)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return np.reshape(grad, ctx.shape)


@table.rule(np.expand_dims)
class ExpandDims(Function):
    """The same elements with new axes of length one."""

    linear = ("a",)

    @staticmethod
    def forward(ctx: Context, a: Any, axis: Any) -> Any:
        ctx.shape = np.shape(a)
        return np.expand_dims(a, axis)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return np.reshape(grad, ctx.shape)


@table.rule(np.swapaxes)
class Swapaxes(Function):
    """The same elements with two axes exchanged."""

    linear = ("a",)

    @staticmethod
    def forward(ctx: Context, a: Any, axis1: int, axis2: int) -> Any:
        ctx.axis1, ctx.axis2 = axis1, axis2
        return np.swapaxes(a, axis1, axis2)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return np.swapaxes(grad, ctx.axis1, ctx.axis2)


@table.rule(np.moveaxis)
class Moveaxis(Function):
    """The same elements with axes at other places."""

    linear = ("a",)

    @staticmethod
    def forward(ctx: Context, a: Any, source: Any, destination: Any) -> Any:
        ctx.source, ctx.destination = source, destination
        return np.moveaxis(a, source, destination)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return np.moveaxis(grad, ctx.destination, ctx.source)


@table.rule(np.rollaxis)
class Rollaxis(Function):
    """The same elements with one axis rolled back."""

    linear = ("a",)

    @staticmethod
    def forward(ctx: Context, a: Any, axis: int, start: int = 0) -> Any:
        ctx.axis, ctx.start, ctx.ndim = axis, start, np.ndim(a)
        return np.rollaxis(a, axis, start)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return rollaxis_back(grad, ctx.axis, ctx.start, ctx.ndim)


@table.rule(np.matrix_transpose, np.linalg.matrix_transpose)
class MatrixTranspose(Function):
    """The same elements with the last two axes exchanged."""

    linear = ("x",)

    @staticmethod
    def forward(ctx: Context, x: Any, /) -> Any:
        return np.swapaxes(x, -1, -2)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return np.swapaxes(grad, -1, -2)


@table.rule(np.atleast_1d)
class Atleast1d(Function):
    """The same elements with at least 1 axis; of several arrays, each."""

    linear = ("arys",)
    returns_one = ("arys", 1)

    @staticmethod
    def forward(ctx: Context, *arys: Any) -> Any:
        ctx.shapes, ctx.arys = [np.shape(ary) for ary in arys], len(arys)
        return np.atleast_1d(*arys)

    @staticmethod
    def backward(ctx: Context, *grads: Any) -> Any:
        if shortcut(ctx.arys == 1):
            grad_arys = (np.reshape(grads[0], ctx.shapes[0]),)
        else:
            grad_arys = reshape_each(grads, ctx.shapes)
        return grad_arys


@table.rule(np.atleast_2d)
class Atleast2d(Function):
    """The same elements with at least 2 axes; of several arrays, each."""

    linear = ("arys",)
    returns_one = ("arys", 1)

    @staticmethod
    def forward(ctx: Context, *arys: Any) -> Any:
        ctx.shapes, ctx.arys = [np.shape(ary) for ary in arys], len(arys)
        return np.atleast_2d(*arys)

    @staticmethod
    def backward(ctx: Context, *grads: Any) -> Any:
        if shortcut(ctx.arys == 1):
            grad_arys = (np.reshape(grads[0], ctx.shapes[0]),)
        else:
            grad_arys = reshape_each(grads, ctx.shapes)
        return grad_arys


@table.rule(np.atleast_3d)
class Atleast3d(Function):
    """The same elements with at least 3 axes; of several arrays, each."""

    linear = ("arys",)
    returns_one = ("arys", 1)

    @staticmethod
    def forward(ctx: Context, *arys: Any) -> Any:
        ctx.shapes, ctx.arys = [np.shape(ary) for ary in arys], len(arys)
        return np.atleast_3d(*arys)

    @staticmethod
    def backward(ctx: Context, *grads: Any) -> Any:
        if shortcut(ctx.arys == 1):
            grad_arys = (np.reshape(grads[0], ctx.shapes[0]),)
        else:
            grad_arys = reshape_each(grads, ctx.shapes)
        return grad_arys


RULES = table.freeze()
