"""Rules of functions that make arrays from numbers, lists and other arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.rules.base import Context, Function
from srcgrad.rules.registry import RuleTable
from srcgrad.runtime import (
    arange_back,
    cast_back,
    conj,
    flatten,
    geomspace_push,
    given,
    linspace_back,
    logspace_back,
    logspace_push,
    read_order,
    reshape_back,
    result_dtype,
    shortcut,
    unbroadcast,
    vander_back,
    vander_push,
)

table = RuleTable("creation")


@table.rule(np.array)
class Array(Function):
    """The same elements as an array, copied."""

    linear = ("object",)

    @staticmethod
    def forward(
        ctx: Context,
        object: Any,
        dtype: Any = None,
        *,
        copy: Any = True,
        order: Any = "K",
        subok: bool = False,
        ndmin: int = 0,
        ndmax: int | None = None,
        like: Any = None,
    ) -> Any:
        ctx.shape, ctx.dtype, ctx.ndmin = np.shape(object), dtype, ndmin
        return np.array(
            object, dtype, copy=copy, order=order, ndmin=ndmin, **given(ndmax=ndmax, like=like)
        )

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        is_same = shortcut(ctx.dtype is None and ctx.ndmin == 0)
        return grad if is_same else cast_back(grad, ctx.shape, ctx.dtype)


@table.rule(np.asarray)
class Asarray(Function):
    """The same elements as an array."""

    linear = ("a",)

    @staticmethod
    def forward(
        ctx: Context,
        a: Any,
        dtype: Any = None,
        order: Any = None,
        *,
        device: Any = None,
        copy: Any = None,
        like: Any = None,
    ) -> Any:
        ctx.shape, ctx.dtype = np.shape(a), dtype
        return np.asarray(a, dtype, order, **given(device=device, copy=copy, like=like))

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return grad if shortcut(ctx.dtype is None) else cast_back(grad, ctx.shape, ctx.dtype)


@table.rule(np.asanyarray)
class Asanyarray(Function):
    """The same elements as an array of the kind asked for."""

    linear = ("a",)

    @staticmethod
    def forward(
        ctx: Context,
        a: Any,
        dtype: Any = None,
        order: Any = None,
        *,
        device: Any = None,
        copy: Any = None,
        like: Any = None,
    ) -> Any:
        ctx.shape, ctx.dtype = np.shape(a), dtype
        return np.asanyarray(a, dtype, order, **given(device=device, copy=copy, like=like))

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return grad if shortcut(ctx.dtype is None) else cast_back(grad, ctx.shape, ctx.dtype)


@table.rule(np.ascontiguousarray)
class Ascontiguousarray(Function):
    """The same elements as an array of the kind asked for."""

    linear = ("a",)

    @staticmethod
    def forward(ctx: Context, a: Any, dtype: Any = None) -> Any:
        ctx.shape, ctx.dtype = np.shape(a), dtype
        return np.ascontiguousarray(a, dtype)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return cast_back(grad, ctx.shape, ctx.dtype)


@table.rule(np.asfortranarray)
class Asfortranarray(Function):
    """The same elements as an array of the kind asked for."""

    linear = ("a",)

    @staticmethod
    def forward(ctx: Context, a: Any, dtype: Any = None) -> Any:
        ctx.shape, ctx.dtype = np.shape(a), dtype
        return np.asfortranarray(a, dtype)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return cast_back(grad, ctx.shape, ctx.dtype)


@table.rule(np.asarray_chkfinite)
class AsarrayChkfinite(Function):
    """The same elements as an array of the kind asked for."""

    linear = ("a",)

    @staticmethod
    def forward(ctx: Context, a: Any, dtype: Any = None, order: Any = None) -> Any:
        ctx.shape, ctx.dtype = np.shape(a), dtype
        return np.asarray_chkfinite(a, dtype, order)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return cast_back(grad, ctx.shape, ctx.dtype)


@table.rule(np.require)
class Require(Function):
    """The same elements as an array of the kind asked for."""

    linear = ("a",)

    @staticmethod
    def forward(ctx: Context, a: Any, dtype: Any = None, requirements: Any = None) -> Any:
        ctx.shape, ctx.dtype = np.shape(a), dtype
        return np.require(a, dtype, requirements)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return cast_back(grad, ctx.shape, ctx.dtype)


@table.rule(np.copy)
class Copy(Function):
    """The same elements in memory of their own."""

    linear = ("a",)

    @staticmethod
    def forward(ctx: Context, a: Any, order: str = "K", subok: bool = False) -> Any:
        return np.copy(a, order)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return grad


@table.rule(np.full)
class Full(Function):
    """An array filled with one value, or with a row broadcast to the shape."""

    linear = ("fill_value",)

    @staticmethod
    def forward(
        ctx: Context,
        shape: Any,
        fill_value: Any,
        dtype: Any = None,
        order: str = "C",
        *,
        device: Any = None,
        like: Any = None,
    ) -> Any:
        ctx.shape, ctx.dtype = np.shape(fill_value), dtype
        return np.full(shape, fill_value, dtype, order, **given(device=device, like=like))

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return None, cast_back(unbroadcast(grad, ctx.shape), ctx.shape, ctx.dtype)


@table.rule(np.full_like)
class FullLike(Function):
    """An array shaped as a, filled with one value or a row; a gives only its shape and type."""

    inert = ("a",)

    @staticmethod
    def forward(
        ctx: Context,
        a: Any,
        fill_value: Any,
        dtype: Any = None,
        order: str = "K",
        subok: bool = True,
        shape: Any = None,
        *,
        device: Any = None,
    ) -> Any:
        ctx.shape, ctx.dtype = np.shape(fill_value), dtype or result_dtype(a)
        ctx.save_for_backward(a)
        return np.full_like(a, fill_value, dtype, order, subok, shape, **given(device=device))

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (a,) = ctx.saved_tensors
        grad_a = np.zeros_like(a) if ctx.needs_input_grad[0] else None
        return grad_a, cast_back(unbroadcast(grad, ctx.shape), ctx.shape, ctx.dtype)

    @staticmethod
    def jvp(ctx: Context, a_dot: Any, fill_dot: Any, *options: Any) -> Any:
        (a,) = ctx.saved_tensors
        filled = np.full_like(a, 0.0 if fill_dot is None else fill_dot, ctx.dtype)
        return cast_back(filled, np.shape(filled), ctx.dtype)


@table.rule(np.linspace)
class Linspace(Function):
    """num points from start to stop at equal distances, with the step if asked."""

    linear = ("start", "stop")
    returns_one = ("retstep", False)

    @staticmethod
    def forward(
        ctx: Context,
        start: Any,
        stop: Any,
        num: int = 50,
        endpoint: bool = True,
        retstep: bool = False,
        dtype: Any = None,
        axis: int = 0,
    ) -> Any:
        ctx.shapes, ctx.num, ctx.endpoint, ctx.axis = (
            (np.shape(start), np.shape(stop)),
            num,
            endpoint,
            axis,
        )
        ctx.retstep = retstep
        return np.linspace(start, stop, num, endpoint, retstep, dtype, axis)

    @staticmethod
    def backward(ctx: Context, *grads: Any) -> Any:
        if ctx.retstep:
            grad, grad_step = grads
        else:
            grad, grad_step = grads[0], None
        grad_start, grad_stop = linspace_back(
            grad, grad_step, ctx.shapes, ctx.num, ctx.endpoint, ctx.axis
        )
        return grad_start, grad_stop


@table.rule(np.logspace)
class Logspace(Function):
    """num powers of base, whose exponents go from start to stop at equal distances."""

    @staticmethod
    def forward(
        ctx: Context,
        start: Any,
        stop: Any,
        num: int = 50,
        endpoint: bool = True,
        base: Any = 10.0,
        dtype: Any = None,
        axis: int = 0,
    ) -> Any:
        y = np.logspace(start, stop, num, endpoint, base, dtype, axis)
        ctx.shapes, ctx.num, ctx.endpoint, ctx.axis = (
            (np.shape(start), np.shape(stop)),
            num,
            endpoint,
            axis,
        )
        ctx.save_for_backward(start, stop, base, y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        start, stop, base, y = ctx.saved_tensors
        grad_start, grad_stop, grad_base = logspace_back(
            grad, (start, stop, base, y), ctx.shapes, (ctx.num, ctx.endpoint, ctx.axis)
        )
        return grad_start, grad_stop, None, None, grad_base

    @staticmethod
    def jvp(
        ctx: Context, start_dot: Any, stop_dot: Any, num: Any, endpoint: Any, base_dot: Any, *_: Any
    ) -> Any:
        start, stop, base, y = ctx.saved_tensors
        options = ctx.num, ctx.endpoint, ctx.axis
        dots = start_dot, stop_dot, base_dot
        return logspace_push(dots, (start, stop, base, y), options)


@table.rule(np.geomspace)
class Geomspace(Function):
    """num points from start to stop at equal ratios."""

    @staticmethod
    def forward(
        ctx: Context,
        start: Any,
        stop: Any,
        num: int = 50,
        endpoint: bool = True,
        dtype: Any = None,
        axis: int = 0,
    ) -> Any:
        y = np.geomspace(start, stop, num, endpoint, dtype, axis)
        ctx.shapes, ctx.num, ctx.endpoint, ctx.axis = (
            (np.shape(start), np.shape(stop)),
            num,
            endpoint,
            axis,
        )
        ctx.save_for_backward(start, stop, y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        start, stop, y = ctx.saved_tensors
        grad_start, grad_stop = linspace_back(
            grad * conj(y), None, ctx.shapes, ctx.num, ctx.endpoint, ctx.axis
        )
        return grad_start / conj(start), grad_stop / conj(stop)

    @staticmethod
    def jvp(ctx: Context, start_dot: Any, stop_dot: Any, *_: Any) -> Any:
        start, stop, y = ctx.saved_tensors
        options = ctx.num, ctx.endpoint, ctx.axis
        return geomspace_push((start_dot, stop_dot), (start, stop, y), options)


@table.rule(np.arange)
class Arange(Function):
    """Numbers from start on at equal distances; the stop only says how many."""

    @staticmethod
    def forward(
        ctx: Context,
        start: Any,
        stop: Any = None,
        step: Any = 1,
        dtype: Any = None,
        *,
        device: Any = None,
        like: Any = None,
    ) -> Any:
        ctx.stop = stop
        return np.arange(start, stop, step, dtype, **given(device=device, like=like))

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        grad_start, grad_stop, grad_step = arange_back(grad, ctx.stop)
        return grad_start, grad_stop, grad_step


@table.rule(np.vander)
class Vander(Function):
    """The powers of x as columns."""

    @staticmethod
    def forward(ctx: Context, x: Any, N: int | None = None, increasing: bool = False) -> Any:
        y = np.vander(x, N, increasing)
        ctx.increasing = increasing
        ctx.save_for_backward(x, y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        x, _ = ctx.saved_tensors
        return vander_back(grad, x, ctx.increasing)

    @staticmethod
    def jvp(ctx: Context, x_dot: Any, *options: Any) -> Any:
        x, y = ctx.saved_tensors
        return vander_push(x_dot, x, y, ctx.increasing)


@table.rule(flatten)
class Flatten(Function):
    """The same elements along one axis, copied."""

    linear = ("x",)

    @staticmethod
    def forward(ctx: Context, x: Any, order: Any = "C") -> Any:
        ctx.shape, ctx.order, ctx.read = np.shape(x), order, read_order(x, order)
        return flatten(x, order)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        if shortcut(ctx.order == "C"):
            grad_x = np.reshape(grad, ctx.shape)
        else:
            grad_x = reshape_back(grad, ctx.shape, ctx.read)
        return grad_x


RULES = table.freeze()
