"""Rules of diagonals and triangles of matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.rules.base import Context, Function
from srcgrad.rules.registry import RuleTable
from srcgrad.runtime import (
    diag_back,
    diagonal_back,
    trace_back,
    unbroadcast,
)

table = RuleTable("diagonals")


@table.rule(np.diag)
class Diag(Function):
    """The diagonal of a matrix, or a matrix with that diagonal."""

    linear = ("v",)

    @staticmethod
    def forward(ctx: Context, v: Any, k: int = 0) -> Any:
        ctx.shape, ctx.k = np.shape(v), k
        return np.diag(v, k)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return diag_back(grad, ctx.shape, ctx.k)


@table.rule(np.diagflat)
class Diagflat(Function):
    """A matrix with the elements of v on a diagonal."""

    linear = ("v",)

    @staticmethod
    def forward(ctx: Context, v: Any, k: int = 0) -> Any:
        ctx.shape, ctx.k = np.shape(v), k
        return np.diagflat(v, k)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return np.reshape(np.diagonal(grad, ctx.k), ctx.shape)


@table.rule(np.diagonal)
class Diagonal(Function):
    """The diagonals of the matrices along two axes."""

    linear = ("a",)

    @staticmethod
    def forward(ctx: Context, a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
        ctx.shape, ctx.offset, ctx.axes = np.shape(a), offset, (axis1, axis2)
        return np.diagonal(a, offset, axis1, axis2)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return diagonal_back(grad, ctx.shape, ctx.offset, ctx.axes)


@table.rule(np.linalg.diagonal)
class LinalgDiagonal(Function):
    """The diagonals of the matrices along the last two axes."""

    linear = ("x",)

    @staticmethod
    def forward(ctx: Context, x: Any, /, *, offset: int = 0) -> Any:
        ctx.shape, ctx.offset = np.shape(x), offset
        return np.linalg.diagonal(x, offset=offset)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return diagonal_back(grad, ctx.shape, ctx.offset, (-2, -1))


@table.rule(np.trace)
class Trace(Function):
    """The sum of a diagonal."""

    linear = ("a",)

    @staticmethod
    def forward(
        ctx: Context,
        a: Any,
        offset: int = 0,
        axis1: int = 0,
        axis2: int = 1,
        dtype: Any = None,
        out: Any = None,
    ) -> Any:
        ctx.shape, ctx.offset, ctx.axes = np.shape(a), offset, (axis1, axis2)
        return np.trace(a, offset, axis1, axis2, dtype, out)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return trace_back(grad, ctx.shape, ctx.offset, ctx.axes)


@table.rule(np.linalg.trace)
class LinalgTrace(Function):
    """The sum of the diagonals of the matrices along the last two axes."""

    linear = ("x",)

    @staticmethod
    def forward(ctx: Context, x: Any, /, *, offset: int = 0, dtype: Any = None) -> Any:
        ctx.shape, ctx.offset = np.shape(x), offset
        return np.linalg.trace(x, offset=offset, dtype=dtype)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return trace_back(grad, ctx.shape, ctx.offset, (-2, -1))


@table.rule(diagonal_back)
class DiagonalBack(Function):
    """Zeros with grad on a diagonal."""

    linear = ("grad",)

    @staticmethod
    def forward(ctx: Context, grad: Any, shape: Any, offset: int, axes: Any) -> Any:
        ctx.offset, ctx.axes = offset, axes
        return diagonal_back(grad, shape, offset, axes)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return np.diagonal(grad, ctx.offset, ctx.axes[0], ctx.axes[1])


@table.rule(np.tril)
class Tril(Function):
    """The lower triangle, with zeros above."""

    linear = ("m",)

    @staticmethod
    def forward(ctx: Context, m: Any, k: int = 0) -> Any:
        ctx.shape, ctx.k = np.shape(m), k
        return np.tril(m, k)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return unbroadcast(np.tril(grad, ctx.k), ctx.shape)


@table.rule(np.triu)
class Triu(Function):
    """The upper triangle, with zeros below."""

    linear = ("m",)

    @staticmethod
    def forward(ctx: Context, m: Any, k: int = 0) -> Any:
        ctx.shape, ctx.k = np.shape(m), k
        return np.triu(m, k)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return unbroadcast(np.triu(grad, ctx.k), ctx.shape)


RULES = table.freeze()
