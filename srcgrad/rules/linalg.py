"""Rules of inverses, solutions and norms of matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.rules.base import Context, Function
from srcgrad.rules.registry import RuleTable
from srcgrad.runtime import (
    adjoint,
    cond_back,
    conj,
    det_back,
    divide_or_zero,
    given,
    lstsq_back,
    lstsq_push,
    matrix_norm_back,
    matrix_power_back,
    matrix_power_push,
    norm_back,
    pinv_back,
    pinv_push,
    real_part,
    shortcut,
    slogdet_back,
    slogdet_push,
    solve_back,
    solve_push,
    tensorinv_back,
    tensorinv_push,
    tensorsolve_back,
    tensorsolve_push,
    vector_norm_back,
)

table = RuleTable("linalg")


@table.rule(np.linalg.inv)
class Inv(Function):
    """y = the inverse of a, of which a gets -y.T @ grad @ y.T."""

    @staticmethod
    def forward(ctx: Context, a: Any) -> Any:
        y = np.linalg.inv(a)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (y,) = ctx.saved_tensors
        return -adjoint(y) @ grad @ adjoint(y)

    @staticmethod
    def jvp(ctx: Context, a_dot: Any) -> Any:
        (y,) = ctx.saved_tensors
        return -y @ a_dot @ y


@table.rule(np.linalg.det)
class Det(Function):
    """y = the determinant of a; the gradient is that of its cofactors, also if a is singular."""

    @staticmethod
    def forward(ctx: Context, a: Any) -> Any:
        y = np.linalg.det(a)
        ctx.save_for_backward(a, y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        a, y = ctx.saved_tensors
        return det_back(grad, a, y)

    @staticmethod
    def jvp(ctx: Context, a_dot: Any) -> Any:
        a, y = ctx.saved_tensors
        return np.sum(conj(det_back(np.ones_like(y), a, y)) * a_dot, axis=(-2, -1))


@table.rule(np.linalg.slogdet)
class Slogdet(Function):
    """The sign of the determinant, and the logarithm of its absolute value."""

    @staticmethod
    def forward(ctx: Context, a: Any) -> Any:
        y = np.linalg.slogdet(a)
        ctx.save_for_backward(a, y[0])
        return y

    @staticmethod
    def backward(ctx: Context, grad_sign: Any, grad: Any) -> Any:
        a, sign = ctx.saved_tensors
        return slogdet_back(grad_sign, grad, a, sign)

    @staticmethod
    def jvp(ctx: Context, a_dot: Any) -> Any:
        a, sign = ctx.saved_tensors
        return slogdet_push(a_dot, a, sign)


@table.rule(np.linalg.solve)
class Solve(Function):
    """y = inv(a) @ b."""

    linear = ("b",)

    @staticmethod
    def forward(ctx: Context, a: Any, b: Any) -> Any:
        y = np.linalg.solve(a, b)
        ctx.save_for_backward(a, b, y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        a, b, y = ctx.saved_tensors
        grad_a, grad_b = solve_back(grad, a, b, y)
        return grad_a, grad_b

    @staticmethod
    def jvp(ctx: Context, a_dot: Any, b_dot: Any) -> Any:
        a, b, y = ctx.saved_tensors
        return solve_push(a, a_dot, b, b_dot, y)


@table.rule(np.linalg.lstsq)
class Lstsq(Function):
    """The x with the least norm of b - a @ x; the residuals, the rank, the singular values."""

    @staticmethod
    def forward(ctx: Context, a: Any, b: Any, rcond: Any = None) -> Any:
        y = np.linalg.lstsq(a, b, rcond)
        ctx.save_for_backward(a, b, y[0])
        return y

    @staticmethod
    def backward(
        ctx: Context,
        grad: Any,
        grad_residuals: Any,
        grad_rank: Any,
        grad_s: Any,
    ) -> Any:
        a, b, x = ctx.saved_tensors
        grad_a, grad_b = lstsq_back(grad, grad_residuals, grad_s, (a, b, x))
        return grad_a, grad_b

    @staticmethod
    def jvp(ctx: Context, a_dot: Any, b_dot: Any, *options: Any) -> Any:
        a, b, x = ctx.saved_tensors
        return lstsq_push((a_dot, b_dot), (a, b, x))


@table.rule(np.linalg.pinv)
class Pinv(Function):
    """y = the pseudo-inverse of a, whose rank is held fixed."""

    @staticmethod
    def forward(
        ctx: Context, a: Any, rcond: Any = None, hermitian: bool = False, *, rtol: Any = None
    ) -> Any:
        y = np.linalg.pinv(a, rcond, hermitian, **given(rtol=rtol))
        ctx.save_for_backward(a, y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        a, y = ctx.saved_tensors
        return pinv_back(grad, a, y)

    @staticmethod
    def jvp(ctx: Context, a_dot: Any, *options: Any) -> Any:
        a, y = ctx.saved_tensors
        return pinv_push(a_dot, a, y)


@table.rule(np.linalg.tensorinv)
class Tensorinv(Function):
    """y = the inverse of a as a map of arrays."""

    @staticmethod
    def forward(ctx: Context, a: Any, ind: int = 2) -> Any:
        y = np.linalg.tensorinv(a, ind)
        ctx.shape = np.shape(a)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (y,) = ctx.saved_tensors
        return tensorinv_back(grad, y, ctx.shape)

    @staticmethod
    def jvp(ctx: Context, a_dot: Any, *options: Any) -> Any:
        (y,) = ctx.saved_tensors
        return tensorinv_push(a_dot, y)


@table.rule(np.linalg.tensorsolve)
class Tensorsolve(Function):
    """y = the array that a, as a map of arrays, takes to b."""

    linear = ("b",)

    @staticmethod
    def forward(ctx: Context, a: Any, b: Any, axes: Any = None) -> Any:
        y = np.linalg.tensorsolve(a, b, axes)
        ctx.axes = axes
        ctx.save_for_backward(a, b, y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        a, b, y = ctx.saved_tensors
        grad_a, grad_b = tensorsolve_back(grad, a, y, np.shape(b), ctx.axes)
        return grad_a, grad_b

    @staticmethod
    def jvp(ctx: Context, a_dot: Any, b_dot: Any, *options: Any) -> Any:
        a, b, y = ctx.saved_tensors
        return tensorsolve_push((a_dot, b_dot), (a, b, y), ctx.axes)


@table.rule(np.linalg.matrix_power)
class MatrixPower(Function):
    """y = the n-th power of a."""

    @staticmethod
    def forward(ctx: Context, a: Any, n: int) -> Any:
        ctx.n = n
        ctx.save_for_backward(a)
        return np.linalg.matrix_power(a, n)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (a,) = ctx.saved_tensors
        return matrix_power_back(grad, a, ctx.n)

    @staticmethod
    def jvp(ctx: Context, a_dot: Any, n_dot: Any) -> Any:
        (a,) = ctx.saved_tensors
        return matrix_power_push(a_dot, a, ctx.n)


@table.rule(np.linalg.norm)
class Norm(Function):
    """y = the norm of x of any order, of vectors or matrices; the gradient at 0 is 0."""

    reduces = True

    @staticmethod
    def forward(
        ctx: Context, x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False
    ) -> Any:
        y = np.linalg.norm(x, ord, axis, keepdims)
        ctx.ord, ctx.axis, ctx.keepdims = ord, axis, keepdims
        ctx.save_for_backward(x, y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        x, y = ctx.saved_tensors
        if shortcut(ctx.ord is None and ctx.axis is None and not ctx.keepdims):
            grad_x = x * divide_or_zero(real_part(grad), y)
        else:
            grad_x = norm_back(grad, x, y, ctx.ord, ctx.axis, ctx.keepdims)
        return grad_x


@table.rule(np.linalg.vector_norm)
class VectorNorm(Function):
    """y = the norm of the vectors along axes."""

    reduces = True

    @staticmethod
    def forward(
        ctx: Context, x: Any, /, *, axis: Any = None, keepdims: bool = False, ord: Any = 2
    ) -> Any:
        y = np.linalg.vector_norm(x, axis=axis, keepdims=keepdims, ord=ord)
        ctx.ord, ctx.axis, ctx.keepdims = ord, axis, keepdims
        ctx.save_for_backward(x, y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        x, y = ctx.saved_tensors
        return vector_norm_back(grad, x, y, ctx.ord, ctx.axis, ctx.keepdims)


@table.rule(np.linalg.matrix_norm)
class MatrixNorm(Function):
    """y = the norm of the matrices along the last two axes."""

    @staticmethod
    def forward(ctx: Context, x: Any, /, *, keepdims: bool = False, ord: Any = "fro") -> Any:
        y = np.linalg.matrix_norm(x, keepdims=keepdims, ord=ord)
        ctx.ord, ctx.keepdims = ord, keepdims
        ctx.save_for_backward(x, y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        x, y = ctx.saved_tensors
        return matrix_norm_back(grad, x, y, ctx.ord, (-2, -1), ctx.keepdims)

    @staticmethod
    def jvp(ctx: Context, x_dot: Any, *options: Any) -> Any:
        x, y = ctx.saved_tensors
        slopes = matrix_norm_back(np.ones_like(y), x, y, ctx.ord, (-2, -1), ctx.keepdims)
        return np.sum(real_part(conj(slopes) * x_dot), axis=(-2, -1), keepdims=ctx.keepdims)


@table.rule(np.linalg.cond)
class Cond(Function):
    """y = how much x magnifies relative errors."""

    @staticmethod
    def forward(ctx: Context, x: Any, p: Any = None) -> Any:
        ctx.p = p
        ctx.save_for_backward(x)
        return np.linalg.cond(x, p)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (x,) = ctx.saved_tensors
        return cond_back(grad, x, ctx.p)

    @staticmethod
    def jvp(ctx: Context, x_dot: Any, *options: Any) -> Any:
        (x,) = ctx.saved_tensors
        slopes = cond_back(np.ones_like(x, shape=np.shape(x)[:-2]), x, ctx.p)
        return np.sum(real_part(conj(slopes) * x_dot), axis=(-2, -1))


RULES = table.freeze()
