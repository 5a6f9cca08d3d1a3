"""Rules of polynomials by their roots, of polynomials fitted to points, and of roots of numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.rules.base import Context, Function
from srcgrad.rules.registry import RuleTable
from srcgrad.runtime import (
    gather_back,
    places,
    poly_back,
    poly_push,
    polyfit_back,
    polyfit_push,
    roots_back,
    roots_push,
    strided_places,
    strided_push,
)

table = RuleTable("fitting")


@table.rule(np.poly)
class Poly(Function):
    """The coefficients of the polynomial with these roots, or with those of a matrix."""

    @staticmethod
    def forward(ctx: Context, seq_of_zeros: Any) -> Any:
        ctx.save_for_backward(seq_of_zeros)
        return np.poly(seq_of_zeros)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (seq_of_zeros,) = ctx.saved_tensors
        return poly_back(grad, seq_of_zeros)

    @staticmethod
    def jvp(ctx: Context, dot: Any) -> Any:
        (seq_of_zeros,) = ctx.saved_tensors
        return poly_push(dot, seq_of_zeros)


@table.rule(np.roots)
class Roots(Function):
    """The roots of a polynomial, which must be distinct."""

    @staticmethod
    def forward(ctx: Context, p: Any) -> Any:
        y = np.roots(p)
        ctx.save_for_backward(p, y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        p, y = ctx.saved_tensors
        return roots_back(grad, p, y)

    @staticmethod
    def jvp(ctx: Context, p_dot: Any) -> Any:
        p, y = ctx.saved_tensors
        return roots_push(p_dot, p, y)


@table.rule(np.polyfit)
class Polyfit(Function):
    """The coefficients of the polynomial of a degree that is nearest to points."""

    @staticmethod
    def forward(ctx: Context, x: Any, y: Any, deg: Any, rcond: Any = None, *, w: Any = None) -> Any:
        p = np.polyfit(x, y, deg, rcond, w=w)
        ctx.save_for_backward(x, y, p, w)
        return p

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        x, y, p, w = ctx.saved_tensors
        grad_x, grad_y = polyfit_back(grad, x, y, p, w)
        return grad_x, grad_y

    @staticmethod
    def jvp(ctx: Context, x_dot: Any, y_dot: Any, *others: Any) -> Any:
        x, y, p, w = ctx.saved_tensors
        return polyfit_push((x_dot, y_dot), (x, y), p, w)


@table.rule(np.emath.sqrt)
class RealOrComplexSqrt(Function):
    """y = sqrt(x), complex where x is negative."""

    @staticmethod
    def forward(ctx: Context, x: Any) -> Any:
        y = np.emath.sqrt(x)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (y,) = ctx.saved_tensors
        return 0.5 * grad / np.conj(y)


@table.rule(np.emath.log)
class RealOrComplexLog(Function):
    """y = log(x), complex where x is negative."""

    @staticmethod
    def forward(ctx: Context, x: Any) -> Any:
        ctx.save_for_backward(x)
        return np.emath.log(x)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (x,) = ctx.saved_tensors
        return grad / np.conj(x)


@table.rule(np.emath.log2)
class RealOrComplexLog2(Function):
    """y = log2(x), complex where x is negative."""

    @staticmethod
    def forward(ctx: Context, x: Any) -> Any:
        ctx.save_for_backward(x)
        return np.emath.log2(x)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (x,) = ctx.saved_tensors
        return grad / (0.6931471805599453 * np.conj(x))


@table.rule(np.emath.log10)
class RealOrComplexLog10(Function):
    """y = log10(x), complex where x is negative."""

    @staticmethod
    def forward(ctx: Context, x: Any) -> Any:
        ctx.save_for_backward(x)
        return np.emath.log10(x)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (x,) = ctx.saved_tensors
        return grad / (2.302585092994046 * np.conj(x))


@table.rule(np.emath.arcsin)
class RealOrComplexArcsin(Function):
    """y = arcsin(x), complex where x is beyond 1: of two roots, the slope takes that of y."""

    @staticmethod
    def forward(ctx: Context, x: Any) -> Any:
        y = np.emath.arcsin(x)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (y,) = ctx.saved_tensors
        return grad / np.conj(np.cos(y))

    @staticmethod
    def jvp(ctx: Context, x_dot: Any) -> Any:
        (y,) = ctx.saved_tensors
        return x_dot / np.cos(y)


@table.rule(np.emath.arccos)
class RealOrComplexArccos(Function):
    """y = arccos(x), complex where x is beyond 1."""

    @staticmethod
    def forward(ctx: Context, x: Any) -> Any:
        y = np.emath.arccos(x)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (y,) = ctx.saved_tensors
        return -grad / np.conj(np.sin(y))

    @staticmethod
    def jvp(ctx: Context, x_dot: Any) -> Any:
        (y,) = ctx.saved_tensors
        return -x_dot / np.sin(y)


@table.rule(np.emath.arctanh)
class RealOrComplexArctanh(Function):
    """y = arctanh(x), complex where x is beyond 1."""

    @staticmethod
    def forward(ctx: Context, x: Any) -> Any:
        ctx.save_for_backward(x)
        return np.emath.arctanh(x)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (x,) = ctx.saved_tensors
        return grad / np.conj(1 - x * x)


@table.rule(np.lib.stride_tricks.sliding_window_view)
class SlidingWindowView(Function):
    """All windows of a shape in x."""

    linear = ("x",)

    @staticmethod
    def forward(ctx: Context, x: Any, window_shape: Any, axis: Any = None) -> Any:
        ctx.shape, ctx.window_shape, ctx.axis = np.shape(x), window_shape, axis
        return np.lib.stride_tricks.sliding_window_view(x, window_shape, axis)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return gather_back(
            grad,
            np.lib.stride_tricks.sliding_window_view(places(ctx.shape), ctx.window_shape, ctx.axis),
            ctx.shape,
        )


@table.rule(np.lib.stride_tricks.as_strided)
class AsStrided(Function):
    """The memory of x with another shape and other strides."""

    @staticmethod
    def forward(ctx: Context, x: Any, shape: Any = None, strides: Any = None) -> Any:
        ctx.shape, ctx.strides = shape, strides
        ctx.save_for_backward(x)
        return np.lib.stride_tricks.as_strided(x, shape, strides)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (x,) = ctx.saved_tensors
        return gather_back(grad, strided_places(x, ctx.shape, ctx.strides), np.shape(x))

    @staticmethod
    def jvp(ctx: Context, x_dot: Any, *options: Any) -> Any:
        (x,) = ctx.saved_tensors
        return strided_push(x_dot, x, ctx.shape, ctx.strides)


@table.rule(np.float64)
class Float64(Function):
    """y = x as a number of double precision."""

    linear = ("x",)

    @staticmethod
    def forward(ctx: Context, x: Any) -> Any:
        return np.float64(x)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return grad


@table.rule(np.complex128)
class Complex128(Function):
    """y = x as a complex number of double precision, or an array of such."""

    linear = ("x",)

    @staticmethod
    def forward(ctx: Context, x: Any) -> Any:
        return np.complex128(x)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return grad


RULES = table.freeze()
