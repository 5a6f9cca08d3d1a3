"""Rules of products of matrices and vectors."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from srcgrad.rules.base import Context, Function
from srcgrad.rules.registry import RuleTable
from srcgrad.runtime import (
    adjoint,
    conj,
    cross_left,
    cross_right,
    dot_left,
    dot_right,
    einsum_back,
    inner_left,
    inner_right,
    is_matrix,
    is_vector,
    kron_left,
    kron_right,
    matmul_left,
    matmul_right,
    multi_dot_back,
    multi_dot_push,
    outer_back,
    tensordot_left,
    tensordot_right,
    unbroadcast,
)

table = RuleTable("products")


@table.rule(np.matmul, operator.matmul)
class Matmul(Function):
    """z = x1 @ x2, of which x1 gets grad @ x2.T and x2 gets x1.T @ grad."""

    multilinear = ("x1", "x2")

    @staticmethod
    def forward(ctx: Context, x1: Any, x2: Any) -> Any:
        ctx.save_for_backward(x1, x2)
        return np.matmul(x1, x2)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        x1, x2 = ctx.saved_tensors
        grad_x1, grad_x2 = None, None
        if ctx.needs_input_grad[0]:
            if is_matrix(x1) and is_matrix(x2):
                grad_x1 = grad @ conj(x2.T)
            elif is_matrix(x1) and is_vector(x2):
                grad_x1 = np.outer(grad, conj(x2))
            elif is_vector(x1) and is_matrix(x2):
                grad_x1 = conj(x2) @ grad
            elif is_vector(x1) and is_vector(x2):
                grad_x1 = grad * conj(x2)
            else:
                grad_x1 = matmul_left(grad, x1, x2)
        if ctx.needs_input_grad[1]:
            if is_matrix(x1) and is_matrix(x2):
                grad_x2 = conj(x1.T) @ grad
            elif is_matrix(x1) and is_vector(x2):
                grad_x2 = grad @ conj(x1)
            elif is_vector(x1) and is_matrix(x2):
                grad_x2 = np.outer(conj(x1), grad)
            elif is_vector(x1) and is_vector(x2):
                grad_x2 = grad * conj(x1)
            else:
                grad_x2 = matmul_right(grad, x1, x2)
        return grad_x1, grad_x2


@table.rule(np.dot)
class Dot(Function):
    """z = the sum of products over the last axis of a and the last but one of b."""

    multilinear = ("a", "b")

    @staticmethod
    def forward(ctx: Context, a: Any, b: Any, out: Any = None) -> Any:
        ctx.save_for_backward(a, b)
        return np.dot(a, b, out)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        a, b = ctx.saved_tensors
        grad_a, grad_b = None, None
        if ctx.needs_input_grad[0]:
            if is_matrix(a) and is_matrix(b):
                grad_a = grad @ conj(b.T)
            elif is_matrix(a) and is_vector(b):
                grad_a = np.outer(grad, conj(b))
            elif is_vector(a) and is_matrix(b):
                grad_a = conj(b) @ grad
            elif is_vector(a) and is_vector(b):
                grad_a = grad * conj(b)
            else:
                grad_a = dot_left(grad, a, b)
        if ctx.needs_input_grad[1]:
            if is_matrix(a) and is_matrix(b):
                grad_b = conj(a.T) @ grad
            elif is_matrix(a) and is_vector(b):
                grad_b = grad @ conj(a)
            elif is_vector(a) and is_matrix(b):
                grad_b = np.outer(conj(a), grad)
            elif is_vector(a) and is_vector(b):
                grad_b = grad * conj(a)
            else:
                grad_b = dot_right(grad, a, b)
        return grad_a, grad_b


@table.rule(np.inner)
class Inner(Function):
    """z = the sums of products over the last axes of a and b."""

    multilinear = ("a", "b")

    @staticmethod
    def forward(ctx: Context, a: Any, b: Any, /) -> Any:
        ctx.save_for_backward(a, b)
        return np.inner(a, b)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        a, b = ctx.saved_tensors
        grad_a, grad_b = None, None
        if ctx.needs_input_grad[0]:
            grad_a = grad * conj(b) if is_vector(a) and is_vector(b) else inner_left(grad, a, b)
        if ctx.needs_input_grad[1]:
            grad_b = grad * conj(a) if is_vector(a) and is_vector(b) else inner_right(grad, a, b)
        return grad_a, grad_b


@table.rule(np.outer, np.linalg.outer)
class Outer(Function):
    """z = each element of a times each of b."""

    multilinear = ("a", "b")

    @staticmethod
    def forward(ctx: Context, a: Any, b: Any, out: Any = None) -> Any:
        ctx.a_shape, ctx.b_shape = np.shape(a), np.shape(b)
        ctx.save_for_backward(a, b)
        return np.outer(a, b, out)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        a, b = ctx.saved_tensors
        grad_a, grad_b = None, None
        if ctx.needs_input_grad[0]:
            if is_vector(a) and is_vector(b):
                grad_a = grad @ conj(b)
            else:
                grad_a = np.reshape(grad @ conj(np.ravel(b)), ctx.a_shape)
        if ctx.needs_input_grad[1]:
            if is_vector(a) and is_vector(b):
                grad_b = conj(a) @ grad
            else:
                grad_b = np.reshape(conj(np.ravel(a)) @ grad, ctx.b_shape)
        return grad_a, grad_b


@table.rule(np.vdot)
class Vdot(Function):
    """z = the sum of products of conj(a) and b."""

    multilinear = ("a", "b")

    @staticmethod
    def forward(ctx: Context, a: Any, b: Any, /) -> Any:
        ctx.save_for_backward(a, b)
        return np.vdot(a, b)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        a, b = ctx.saved_tensors
        grad_a = np.reshape(conj(grad) * b, np.shape(a)) if ctx.needs_input_grad[0] else None
        grad_b = np.reshape(grad * a, np.shape(b)) if ctx.needs_input_grad[1] else None
        return grad_a, grad_b


@table.rule(np.vecdot)
class Vecdot(Function):
    """z = the sums of products of conj(x1) and x2 over their last axes."""

    multilinear = ("x1", "x2")

    @staticmethod
    def forward(ctx: Context, x1: Any, x2: Any) -> Any:
        ctx.save_for_backward(x1, x2)
        return np.vecdot(x1, x2)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        x1, x2 = ctx.saved_tensors
        grad_x1 = (
            unbroadcast(conj(np.expand_dims(grad, -1)) * x2, np.shape(x1))
            if ctx.needs_input_grad[0]
            else None
        )
        grad_x2 = (
            unbroadcast(np.expand_dims(grad, -1) * x1, np.shape(x2))
            if ctx.needs_input_grad[1]
            else None
        )
        return grad_x1, grad_x2


@table.rule(np.linalg.vecdot)
class LinalgVecdot(Function):
    """z = the sums of products of conj(x1) and x2 over one axis."""

    multilinear = ("x1", "x2")

    @staticmethod
    def forward(ctx: Context, x1: Any, x2: Any, /, *, axis: int = -1) -> Any:
        ctx.axis = axis
        ctx.save_for_backward(x1, x2)
        return np.linalg.vecdot(x1, x2, axis=axis)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        x1, x2 = ctx.saved_tensors
        grad_x1 = (
            unbroadcast(conj(np.expand_dims(grad, ctx.axis)) * x2, np.shape(x1))
            if ctx.needs_input_grad[0]
            else None
        )
        grad_x2 = (
            unbroadcast(np.expand_dims(grad, ctx.axis) * x1, np.shape(x2))
            if ctx.needs_input_grad[1]
            else None
        )
        return grad_x1, grad_x2


@table.rule(np.matvec)
class Matvec(Function):
    """z = matrices x1 times vectors x2."""

    multilinear = ("x1", "x2")

    @staticmethod
    def forward(ctx: Context, x1: Any, x2: Any) -> Any:
        ctx.save_for_backward(x1, x2)
        return np.matvec(x1, x2)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        x1, x2 = ctx.saved_tensors
        grad_x1 = outer_back(grad, conj(x2), np.shape(x1)) if ctx.needs_input_grad[0] else None
        grad_x2 = (
            unbroadcast(np.matmul(adjoint(x1), np.expand_dims(grad, -1))[..., 0], np.shape(x2))
            if ctx.needs_input_grad[1]
            else None
        )
        return grad_x1, grad_x2


@table.rule(np.vecmat)
class Vecmat(Function):
    """z = vectors conj(x1) times matrices x2."""

    multilinear = ("x1", "x2")

    @staticmethod
    def forward(ctx: Context, x1: Any, x2: Any) -> Any:
        ctx.save_for_backward(x1, x2)
        return np.vecmat(x1, x2)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        x1, x2 = ctx.saved_tensors
        grad_x1 = (
            unbroadcast(np.matmul(x2, np.expand_dims(conj(grad), -1))[..., 0], np.shape(x1))
            if ctx.needs_input_grad[0]
            else None
        )
        grad_x2 = outer_back(x1, grad, np.shape(x2)) if ctx.needs_input_grad[1] else None
        return grad_x1, grad_x2


@table.rule(np.tensordot)
class Tensordot(Function):
    """z = the sums of products over pairs of axes."""

    multilinear = ("a", "b")

    @staticmethod
    def forward(ctx: Context, a: Any, b: Any, axes: Any = 2) -> Any:
        ctx.axes = axes
        ctx.save_for_backward(a, b)
        return np.tensordot(a, b, axes)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        a, b = ctx.saved_tensors
        grad_a = tensordot_left(grad, a, b, ctx.axes) if ctx.needs_input_grad[0] else None
        grad_b = tensordot_right(grad, a, b, ctx.axes) if ctx.needs_input_grad[1] else None
        return grad_a, grad_b


@table.rule(np.linalg.tensordot)
class LinalgTensordot(Function):
    """z = the sums of products over pairs of axes."""

    multilinear = ("x1", "x2")

    @staticmethod
    def forward(ctx: Context, x1: Any, x2: Any, /, *, axes: Any = 2) -> Any:
        ctx.axes = axes
        ctx.save_for_backward(x1, x2)
        return np.linalg.tensordot(x1, x2, axes=axes)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        x1, x2 = ctx.saved_tensors
        grad_x1 = tensordot_left(grad, x1, x2, ctx.axes) if ctx.needs_input_grad[0] else None
        grad_x2 = tensordot_right(grad, x1, x2, ctx.axes) if ctx.needs_input_grad[1] else None
        return grad_x1, grad_x2


@table.rule(np.linalg.matmul)
class LinalgMatmul(Function):
    """z = x1 @ x2."""

    multilinear = ("x1", "x2")

    @staticmethod
    def forward(ctx: Context, x1: Any, x2: Any, /) -> Any:
        ctx.save_for_backward(x1, x2)
        return np.matmul(x1, x2)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        x1, x2 = ctx.saved_tensors
        grad_x1 = matmul_left(grad, x1, x2) if ctx.needs_input_grad[0] else None
        grad_x2 = matmul_right(grad, x1, x2) if ctx.needs_input_grad[1] else None
        return grad_x1, grad_x2


@table.rule(np.kron)
class Kron(Function):
    """z = copies of b, each times one element of a."""

    multilinear = ("a", "b")

    @staticmethod
    def forward(ctx: Context, a: Any, b: Any) -> Any:
        ctx.save_for_backward(a, b)
        return np.kron(a, b)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        a, b = ctx.saved_tensors
        grad_a = kron_left(grad, a, b) if ctx.needs_input_grad[0] else None
        grad_b = kron_right(grad, a, b) if ctx.needs_input_grad[1] else None
        return grad_a, grad_b


@table.rule(np.einsum)
class Einsum(Function):
    """z = the sums of products that the subscripts describe."""

    multilinear = ("operands",)

    @staticmethod
    def forward(
        ctx: Context, *operands: Any, out: Any = None, optimize: Any = False, **options: Any
    ) -> Any:
        ctx.save_for_backward(*operands)
        return np.einsum(*operands, out=out, optimize=optimize, **options)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        operands = ctx.saved_tensors
        return einsum_back(grad, operands, ctx.needs_input_grad)


@table.rule(np.cross)
class Cross(Function):
    """z = the products of vectors of two or three elements that are orthogonal to both."""

    multilinear = ("a", "b")

    @staticmethod
    def forward(
        ctx: Context,
        a: Any,
        b: Any,
        axisa: int = -1,
        axisb: int = -1,
        axisc: int = -1,
        axis: int | None = None,
    ) -> Any:
        ctx.axes = (axisa, axisb, axisc) if axis is None else (axis, axis, axis)
        ctx.save_for_backward(a, b)
        return np.cross(a, b, axisa, axisb, axisc, axis)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        a, b = ctx.saved_tensors
        grad_a = cross_left(grad, a, b, ctx.axes) if ctx.needs_input_grad[0] else None
        grad_b = cross_right(grad, a, b, ctx.axes) if ctx.needs_input_grad[1] else None
        return grad_a, grad_b


@table.rule(np.linalg.cross)
class LinalgCross(Function):
    """z = the vectors orthogonal to pairs of three-vectors."""

    multilinear = ("x1", "x2")

    @staticmethod
    def forward(ctx: Context, x1: Any, x2: Any, /, *, axis: int = -1) -> Any:
        ctx.axes = (axis, axis, axis)
        ctx.save_for_backward(x1, x2)
        return np.linalg.cross(x1, x2, axis=axis)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        x1, x2 = ctx.saved_tensors
        grad_x1 = cross_left(grad, x1, x2, ctx.axes) if ctx.needs_input_grad[0] else None
        grad_x2 = cross_right(grad, x1, x2, ctx.axes) if ctx.needs_input_grad[1] else None
        return grad_x1, grad_x2


@table.rule(np.linalg.multi_dot)
class MultiDot(Function):
    """z = the product of several matrices, in the cheapest order."""

    @staticmethod
    def forward(ctx: Context, arrays: Any, *, out: Any = None) -> Any:
        ctx.save_for_backward(*arrays)
        return np.linalg.multi_dot(arrays, out=out)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        arrays = ctx.saved_tensors
        return (multi_dot_back(grad, arrays),)

    @staticmethod
    def jvp(ctx: Context, tangents: Any, out: Any = None) -> Any:
        arrays = ctx.saved_tensors
        return multi_dot_push(tangents, arrays)


RULES = table.freeze()
