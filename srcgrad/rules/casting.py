"""Rules of changes of type."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.rules.base import Context, Function
from srcgrad.rules.registry import RuleTable
from srcgrad.runtime import astype, cast_back, cast_push

table = RuleTable("casting")


@table.rule(np.astype)
class Astype(Function):
    """The same elements as numbers of another type; integers carry no derivative."""

    inert = ("dtype",)

    @staticmethod
    def forward(
        ctx: Context, x: Any, dtype: Any, /, *, copy: bool = True, device: Any = None
    ) -> Any:
        ctx.shape, ctx.dtype, ctx.copy = np.shape(x), dtype, copy
        return np.astype(x, dtype, copy=copy)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return cast_back(grad, ctx.shape, ctx.dtype)

    @staticmethod
    def jvp(ctx: Context, x_dot: Any, *options: Any) -> Any:
        return cast_push(x_dot, ctx.dtype, ctx.copy)


@table.rule(cast_back)
class CastBack(Function):
    """The gradient of a change of type, which it names and does not make."""

    linear = ("grad",)
    inert = ("shape", "dtype")

    @staticmethod
    def forward(ctx: Context, grad: Any, shape: Any, dtype: Any) -> Any:
        ctx.shape, ctx.wanted, ctx.dtype = np.shape(grad), shape, dtype
        return cast_back(grad, shape, dtype)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return cast_back(grad, ctx.shape, ctx.dtype)

    @staticmethod
    def jvp(ctx: Context, grad_dot: Any, *options: Any) -> Any:
        return cast_back(grad_dot, ctx.wanted, ctx.dtype)


@table.rule(cast_push)
class CastPush(Function):
    """The tangent of a change of type."""

    inert = ("dtype", "copy")

    @staticmethod
    def forward(ctx: Context, tangent: Any, dtype: Any, copy: bool = True) -> Any:
        ctx.shape, ctx.dtype, ctx.copy = np.shape(tangent), dtype, copy
        return cast_push(tangent, dtype, copy)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return cast_back(grad, ctx.shape, ctx.dtype)

    @staticmethod
    def jvp(ctx: Context, tangent_dot: Any, *options: Any) -> Any:
        return cast_push(tangent_dot, ctx.dtype, ctx.copy)


@table.rule(astype)
class AstypeMethod(Function):
    """The same elements as numbers of another type, as the method of an array has it."""

    inert = ("dtype",)

    @staticmethod
    def forward(
        ctx: Context,
        x: Any,
        dtype: Any,
        order: Any = "K",
        casting: Any = "unsafe",
        subok: bool = True,
        copy: bool = True,
    ) -> Any:
        ctx.shape, ctx.dtype, ctx.copy = np.shape(x), dtype, copy
        return astype(x, dtype, order, casting, subok, copy)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return cast_back(grad, ctx.shape, ctx.dtype)

    @staticmethod
    def jvp(ctx: Context, x_dot: Any, *options: Any) -> Any:
        return cast_push(x_dot, ctx.dtype, ctx.copy)


RULES = table.freeze()
