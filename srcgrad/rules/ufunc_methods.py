"""Rules of the methods of ufuncs: reduce, accumulate, reduceat and outer."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.rules.base import Context, Function
from srcgrad.rules.registry import RuleTable
from srcgrad.runtime import (
    across,
    conj,
    cumprod_back,
    cumprod_push,
    cumsum_back,
    expand_sum,
    given,
    logaddexp_back,
    prod_back,
    prod_initial_back,
    reduceat_back,
    running_back,
    running_push,
    share_among_ties,
    sum_trailing,
    unbroadcast,
)

table = RuleTable("ufunc_methods")


@table.rule(np.add.reduce)
class AddReduce(Function):
    """y = the elements of an array along axes, put together by np.add."""

    linear = ("array", "initial")

    @staticmethod
    def forward(
        ctx: Context,
        array: Any,
        axis: Any = 0,
        dtype: Any = None,
        out: Any = None,
        keepdims: bool = False,
        initial: Any = None,
        where: Any = True,
    ) -> Any:
        y = np.add.reduce(array, axis, dtype, out, keepdims, **given(initial=initial, where=where))
        ctx.shape, ctx.axis, ctx.keepdims, ctx.where = np.shape(array), axis, keepdims, where
        ctx.has_initial = initial is not None
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        grad_array = expand_sum(grad, ctx.shape, ctx.axis, ctx.keepdims, ctx.where)
        grad_initial = np.sum(grad) if ctx.has_initial else None
        return grad_array, None, None, None, None, grad_initial


@table.rule(np.multiply.reduce)
class MultiplyReduce(Function):
    """y = the elements of an array along axes, put together by np.multiply."""

    reduces = True

    @staticmethod
    def forward(
        ctx: Context,
        array: Any,
        axis: Any = 0,
        dtype: Any = None,
        out: Any = None,
        keepdims: bool = False,
        initial: Any = None,
        where: Any = True,
    ) -> Any:
        y = np.multiply.reduce(
            array, axis, dtype, out, keepdims, **given(initial=initial, where=where)
        )
        ctx.axis, ctx.keepdims = axis, keepdims
        ctx.save_for_backward(array, where, initial)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        array, where, initial = ctx.saved_tensors
        grad_array = prod_back(grad, array, where, initial, ctx.axis, ctx.keepdims)
        grad_initial = prod_initial_back(grad, array, where, initial, ctx.axis, ctx.keepdims)
        return grad_array, None, None, None, None, grad_initial


@table.rule(np.maximum.reduce)
class MaximumReduce(Function):
    """y = the elements of an array along axes, put together by np.maximum."""

    reduces = True
    selects = True

    @staticmethod
    def forward(
        ctx: Context,
        array: Any,
        axis: Any = 0,
        dtype: Any = None,
        out: Any = None,
        keepdims: bool = False,
        initial: Any = None,
        where: Any = True,
    ) -> Any:
        y = np.maximum.reduce(
            array, axis, dtype, out, keepdims, **given(initial=initial, where=where)
        )
        ctx.axis, ctx.keepdims, ctx.where = axis, keepdims, where
        ctx.save_for_backward(array, y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        array, y = ctx.saved_tensors
        return share_among_ties(grad, array, y, ctx.axis, ctx.keepdims, ctx.where)


@table.rule(np.minimum.reduce)
class MinimumReduce(Function):
    """y = the elements of an array along axes, put together by np.minimum."""

    reduces = True
    selects = True

    @staticmethod
    def forward(
        ctx: Context,
        array: Any,
        axis: Any = 0,
        dtype: Any = None,
        out: Any = None,
        keepdims: bool = False,
        initial: Any = None,
        where: Any = True,
    ) -> Any:
        y = np.minimum.reduce(
            array, axis, dtype, out, keepdims, **given(initial=initial, where=where)
        )
        ctx.axis, ctx.keepdims, ctx.where = axis, keepdims, where
        ctx.save_for_backward(array, y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        array, y = ctx.saved_tensors
        return share_among_ties(grad, array, y, ctx.axis, ctx.keepdims, ctx.where)


@table.rule(np.logaddexp.reduce)
class LogaddexpReduce(Function):
    """y = the elements of an array along axes, put together by np.logaddexp."""

    reduces = True

    @staticmethod
    def forward(
        ctx: Context,
        array: Any,
        axis: Any = 0,
        dtype: Any = None,
        out: Any = None,
        keepdims: bool = False,
        initial: Any = None,
        where: Any = True,
    ) -> Any:
        y = np.logaddexp.reduce(
            array, axis, dtype, out, keepdims, **given(initial=initial, where=where)
        )
        ctx.axis, ctx.keepdims, ctx.where = axis, keepdims, where
        ctx.save_for_backward(array, y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        array, y = ctx.saved_tensors
        return logaddexp_back(grad, array, y, ctx.axis, ctx.keepdims, ctx.where)


@table.rule(np.add.accumulate)
class AddAccumulate(Function):
    """y = the elements up to each one along an axis, put together by np.add."""

    linear = ("array",)

    @staticmethod
    def forward(ctx: Context, array: Any, axis: int = 0, dtype: Any = None, out: Any = None) -> Any:
        y = np.add.accumulate(array, axis, dtype, out)
        ctx.axis = axis
        ctx.save_for_backward(array)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (array,) = ctx.saved_tensors
        return cumsum_back(grad, np.shape(array), ctx.axis)


@table.rule(np.multiply.accumulate)
class MultiplyAccumulate(Function):
    """y = the elements up to each one along an axis, put together by np.multiply."""

    @staticmethod
    def forward(ctx: Context, array: Any, axis: int = 0, dtype: Any = None, out: Any = None) -> Any:
        y = np.multiply.accumulate(array, axis, dtype, out)
        ctx.axis = axis
        ctx.save_for_backward(array)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (array,) = ctx.saved_tensors
        return cumprod_back(grad, array, ctx.axis)

    @staticmethod
    def jvp(ctx: Context, array_dot: Any, *options: Any) -> Any:
        (array,) = ctx.saved_tensors
        return cumprod_push(array_dot, array, ctx.axis)


@table.rule(np.maximum.accumulate)
class MaximumAccumulate(Function):
    """y = the elements up to each one along an axis, put together by np.maximum."""

    @staticmethod
    def forward(ctx: Context, array: Any, axis: int = 0, dtype: Any = None, out: Any = None) -> Any:
        y = np.maximum.accumulate(array, axis, dtype, out)
        ctx.axis = 0 if axis is None else axis
        ctx.save_for_backward(array, y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        array, y = ctx.saved_tensors
        return running_back(grad, array, y, ctx.axis)

    @staticmethod
    def jvp(ctx: Context, array_dot: Any, *options: Any) -> Any:
        array, y = ctx.saved_tensors
        return running_push(array_dot, array, y, ctx.axis)


@table.rule(np.minimum.accumulate)
class MinimumAccumulate(Function):
    """y = the elements up to each one along an axis, put together by np.minimum."""

    @staticmethod
    def forward(ctx: Context, array: Any, axis: int = 0, dtype: Any = None, out: Any = None) -> Any:
        y = np.minimum.accumulate(array, axis, dtype, out)
        ctx.axis = 0 if axis is None else axis
        ctx.save_for_backward(array, y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        array, y = ctx.saved_tensors
        return running_back(grad, array, y, ctx.axis)

    @staticmethod
    def jvp(ctx: Context, array_dot: Any, *options: Any) -> Any:
        array, y = ctx.saved_tensors
        return running_push(array_dot, array, y, ctx.axis)


@table.rule(np.add.reduceat)
class AddReduceat(Function):
    """y = the sums of the pieces of an array that begin at the indices."""

    linear = ("array",)

    @staticmethod
    def forward(
        ctx: Context, array: Any, indices: Any, axis: int = 0, dtype: Any = None, out: Any = None
    ) -> Any:
        ctx.shape, ctx.indices, ctx.axis = np.shape(array), indices, axis
        return np.add.reduceat(array, indices, axis, dtype, out)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return reduceat_back(grad, ctx.indices, ctx.shape, ctx.axis)


@table.rule(np.add.outer)
class AddOuter(Function):
    """z = np.add of each element of A with each of B."""

    linear = ("A", "B")

    @staticmethod
    def forward(ctx: Context, A: Any, B: Any) -> Any:
        ctx.A_shape, ctx.B_shape = np.shape(A), np.shape(B)
        return np.add.outer(A, B)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        grad_A = sum_trailing(grad, ctx.A_shape) if ctx.needs_input_grad[0] else None
        grad_B = unbroadcast(grad, ctx.B_shape) if ctx.needs_input_grad[1] else None
        return grad_A, grad_B


@table.rule(np.subtract.outer)
class SubtractOuter(Function):
    """z = np.subtract of each element of A with each of B."""

    linear = ("A", "B")

    @staticmethod
    def forward(ctx: Context, A: Any, B: Any) -> Any:
        ctx.A_shape, ctx.B_shape = np.shape(A), np.shape(B)
        return np.subtract.outer(A, B)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        grad_A = sum_trailing(grad, ctx.A_shape) if ctx.needs_input_grad[0] else None
        grad_B = unbroadcast(-grad, ctx.B_shape) if ctx.needs_input_grad[1] else None
        return grad_A, grad_B


@table.rule(np.multiply.outer)
class MultiplyOuter(Function):
    """z = np.multiply of each element of A with each of B."""

    multilinear = ("A", "B")

    @staticmethod
    def forward(ctx: Context, A: Any, B: Any) -> Any:
        ctx.A_shape, ctx.B_shape = np.shape(A), np.shape(B)
        ctx.save_for_backward(A, B)
        return np.multiply.outer(A, B)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        A, B = ctx.saved_tensors
        grad_A = sum_trailing(grad * conj(B), ctx.A_shape) if ctx.needs_input_grad[0] else None
        grad_B = (
            unbroadcast(grad * conj(across(A, B)), ctx.B_shape) if ctx.needs_input_grad[1] else None
        )
        return grad_A, grad_B


@table.rule(np.divide.outer)
class DivideOuter(Function):
    """z = np.divide of each element of A with each of B."""

    @staticmethod
    def forward(ctx: Context, A: Any, B: Any) -> Any:
        ctx.A_shape, ctx.B_shape = np.shape(A), np.shape(B)
        ctx.save_for_backward(A, B)
        return np.divide.outer(A, B)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        A, B = ctx.saved_tensors
        grad_A = sum_trailing(grad / conj(B), ctx.A_shape) if ctx.needs_input_grad[0] else None
        grad_B = (
            unbroadcast(-grad * conj(across(A, B) / (B * B)), ctx.B_shape)
            if ctx.needs_input_grad[1]
            else None
        )
        return grad_A, grad_B


RULES = table.freeze()
