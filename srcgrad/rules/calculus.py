"""Rules of differences, integrals, interpolation, convolution and polynomials."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.rules.base import Context, Function
from srcgrad.rules.registry import RuleTable
from srcgrad.runtime import (
    convolve_part,
    corrcoef_back,
    corrcoef_push,
    correlate_back,
    cov_back,
    cov_push,
    diff_back,
    ediff1d_back,
    given,
    gradient_back,
    gradient_push,
    interp_back,
    interp_push,
    last_part,
    polyder_back,
    polyint_back,
    polyint_push,
    polymul_part,
    polymul_push,
    polyval_left,
    polyval_push,
    polyval_right,
    trapezoid_back,
)

table = RuleTable("calculus")


@table.rule(np.diff)
class Diff(Function):
    """The differences of neighbours along an axis, n times."""

    linear = ("a", "prepend", "append")

    @staticmethod
    def forward(
        ctx: Context, a: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None
    ) -> Any:
        ctx.n, ctx.axis = n, axis
        ctx.shapes = (
            np.shape(prepend) if prepend is not None else None,
            np.shape(a),
            np.shape(append) if append is not None else None,
        )
        return np.diff(a, n, axis, **given(prepend=prepend, append=append))

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        grad_a, grad_prepend, grad_append = diff_back(grad, ctx.shapes, ctx.n, ctx.axis)
        return grad_a, None, None, grad_prepend, grad_append


@table.rule(np.ediff1d)
class Ediff1d(Function):
    """The differences of neighbours, with others before and after."""

    linear = ("ary", "to_end", "to_begin")

    @staticmethod
    def forward(ctx: Context, ary: Any, to_end: Any = None, to_begin: Any = None) -> Any:
        ctx.shape, ctx.end_shape, ctx.begin_shape = (
            np.shape(ary),
            np.shape(to_end) if to_end is not None else None,
            np.shape(to_begin) if to_begin is not None else None,
        )
        return np.ediff1d(ary, to_end, to_begin)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        grad_ary, grad_to_end, grad_to_begin = ediff1d_back(
            grad, ctx.shape, ctx.end_shape, ctx.begin_shape
        )
        return grad_ary, grad_to_end, grad_to_begin


@table.rule(np.gradient)
class Gradient(Function):
    """Differences of second order along axes, over given distances."""

    linear = ("f",)

    @staticmethod
    def forward(ctx: Context, f: Any, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
        ctx.axis, ctx.edge_order = axis, edge_order
        ctx.save_for_backward(f, *varargs)
        return np.gradient(f, *varargs, axis=axis, edge_order=edge_order)

    @staticmethod
    def backward(ctx: Context, *grads: Any) -> Any:
        f, *varargs = ctx.saved_tensors
        return gradient_back(grads, f, varargs, ctx.axis, ctx.edge_order, ctx.needs_input_grad)

    @staticmethod
    def jvp(ctx: Context, *dots: Any) -> Any:
        f, *varargs = ctx.saved_tensors
        return gradient_push(dots, f, varargs, ctx.axis, ctx.edge_order)


@table.rule(np.trapezoid)
class Trapezoid(Function):
    """The integral of y along an axis by the trapezoidal rule."""

    multilinear = ("y", "x", "dx")

    @staticmethod
    def forward(ctx: Context, y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Any:
        ctx.axis = axis
        ctx.save_for_backward(y, x, dx)
        return np.trapezoid(y, x, dx, axis)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        y, x, dx = ctx.saved_tensors
        grad_y, grad_x, grad_dx = trapezoid_back(grad, (y, x, dx), ctx.axis)
        return grad_y, grad_x, grad_dx


@table.rule(np.interp)
class Interp(Function):
    """The values at x of the broken line through the points (xp, fp); no period is given."""

    linear = ("fp", "left", "right")

    @staticmethod
    def forward(
        ctx: Context,
        x: Any,
        xp: Any,
        fp: Any,
        left: Any = None,
        right: Any = None,
        period: Any = None,
    ) -> Any:
        ctx.left, ctx.right = left, right
        ctx.save_for_backward(x, xp, fp)
        return np.interp(x, xp, fp, left, right, period)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        x, xp, fp = ctx.saved_tensors
        grad_x, grad_xp, grad_fp, grad_left, grad_right = interp_back(
            grad, (x, xp, fp), (ctx.left, ctx.right)
        )
        return grad_x, grad_xp, grad_fp, grad_left, grad_right

    @staticmethod
    def jvp(
        ctx: Context, x_dot: Any, xp_dot: Any, fp_dot: Any, left_dot: Any, right_dot: Any, _: Any
    ) -> Any:
        x, xp, fp = ctx.saved_tensors
        dots = (x_dot, xp_dot, fp_dot, left_dot, right_dot)
        return interp_push(dots, (x, xp, fp), (ctx.left, ctx.right))


@table.rule(np.convolve)
class Convolve(Function):
    """The products of a and v summed over all pairs of a given distance."""

    multilinear = ("a", "v")

    @staticmethod
    def forward(ctx: Context, a: Any, v: Any, mode: str = "full") -> Any:
        ctx.mode = mode
        ctx.save_for_backward(a, v)
        return np.convolve(a, v, mode)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        a, v = ctx.saved_tensors
        grad_a = convolve_part(grad, a, v, ctx.mode) if ctx.needs_input_grad[0] else None
        grad_v = convolve_part(grad, v, a, ctx.mode) if ctx.needs_input_grad[1] else None
        return grad_a, grad_v


@table.rule(np.correlate)
class Correlate(Function):
    """The products of a and conj(v) summed over all pairs of a given distance."""

    multilinear = ("a", "v")

    @staticmethod
    def forward(ctx: Context, a: Any, v: Any, mode: str = "valid") -> Any:
        ctx.mode = mode
        ctx.save_for_backward(a, v)
        return np.correlate(a, v, mode)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        a, v = ctx.saved_tensors
        grad_a, grad_v = correlate_back(grad, a, v, ctx.mode)
        return grad_a, grad_v


@table.rule(np.polyval)
class Polyval(Function):
    """The values at x of the polynomial with coefficients p, the highest first."""

    linear = ("p",)

    @staticmethod
    def forward(ctx: Context, p: Any, x: Any) -> Any:
        ctx.save_for_backward(p, x)
        return np.polyval(p, x)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        p, x = ctx.saved_tensors
        grad_p = polyval_left(grad, p, x) if ctx.needs_input_grad[0] else None
        grad_x = polyval_right(grad, p, x) if ctx.needs_input_grad[1] else None
        return grad_p, grad_x

    @staticmethod
    def jvp(ctx: Context, p_dot: Any, x_dot: Any) -> Any:
        p, x = ctx.saved_tensors
        return polyval_push(p_dot, x_dot, p, x)


@table.rule(np.polymul)
class Polymul(Function):
    """The coefficients of a product of polynomials, without zeros in front."""

    @staticmethod
    def forward(ctx: Context, a1: Any, a2: Any) -> Any:
        ctx.save_for_backward(a1, a2)
        return np.polymul(a1, a2)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        a1, a2 = ctx.saved_tensors
        grad_a1 = polymul_part(grad, a1, a2) if ctx.needs_input_grad[0] else None
        grad_a2 = polymul_part(grad, a2, a1) if ctx.needs_input_grad[1] else None
        return grad_a1, grad_a2

    @staticmethod
    def jvp(ctx: Context, a1_dot: Any, a2_dot: Any) -> Any:
        a1, a2 = ctx.saved_tensors
        return polymul_push(a1_dot, a2_dot, a1, a2)


@table.rule(np.polyadd)
class Polyadd(Function):
    """The coefficients of a sum of polynomials."""

    linear = ("a1", "a2")

    @staticmethod
    def forward(ctx: Context, a1: Any, a2: Any) -> Any:
        ctx.shapes = np.shape(a1), np.shape(a2)
        return np.polyadd(a1, a2)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return last_part(grad, ctx.shapes[0]), last_part(grad, ctx.shapes[1])


@table.rule(np.polysub)
class Polysub(Function):
    """The coefficients of a difference of polynomials."""

    linear = ("a1", "a2")

    @staticmethod
    def forward(ctx: Context, a1: Any, a2: Any) -> Any:
        ctx.shapes = np.shape(a1), np.shape(a2)
        return np.polysub(a1, a2)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return last_part(grad, ctx.shapes[0]), last_part(-grad, ctx.shapes[1])


@table.rule(np.polyder)
class Polyder(Function):
    """The coefficients of the m-th derivative of a polynomial."""

    linear = ("p",)

    @staticmethod
    def forward(ctx: Context, p: Any, m: int = 1) -> Any:
        ctx.shape, ctx.m = np.shape(p), m
        return np.polyder(p, m)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return polyder_back(grad, ctx.shape, ctx.m)


@table.rule(np.polyint)
class Polyint(Function):
    """The coefficients of the m-th integral of a polynomial, which ends with the constants k."""

    @staticmethod
    def forward(ctx: Context, p: Any, m: int = 1, k: Any = None) -> Any:
        ctx.shape, ctx.m = np.shape(p), m
        return np.polyint(p, m, k)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return polyint_back(grad, ctx.shape, ctx.m)

    @staticmethod
    def jvp(ctx: Context, p_dot: Any, *options: Any) -> Any:
        return polyint_push(p_dot, ctx.m)


@table.rule(np.cov)
class Cov(Function):
    """The covariances of variables, which are the rows of m unless told otherwise."""

    @staticmethod
    def forward(
        ctx: Context,
        m: Any,
        y: Any = None,
        rowvar: bool = True,
        bias: bool = False,
        ddof: Any = None,
        fweights: Any = None,
        aweights: Any = None,
        *,
        dtype: Any = None,
    ) -> Any:
        ctx.options = (rowvar, bias, ddof, fweights, aweights)
        ctx.save_for_backward(m, y)
        return np.cov(m, y, rowvar, bias, ddof, fweights, aweights, dtype=dtype)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        m, y = ctx.saved_tensors
        grad_m, grad_y = cov_back(grad, m, y, ctx.options)
        return grad_m, grad_y

    @staticmethod
    def jvp(ctx: Context, m_dot: Any, y_dot: Any, *options: Any) -> Any:
        m, y = ctx.saved_tensors
        return cov_push((m_dot, y_dot), m, y, ctx.options)


@table.rule(np.corrcoef)
class Corrcoef(Function):
    """The correlations of variables, which are the rows of x unless told otherwise."""

    @staticmethod
    def forward(
        ctx: Context, x: Any, y: Any = None, rowvar: bool = True, *, dtype: Any = None
    ) -> Any:
        ctx.rowvar = rowvar
        ctx.save_for_backward(x, y)
        return np.corrcoef(x, y, rowvar, dtype=dtype)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        x, y = ctx.saved_tensors
        grad_x, grad_y = corrcoef_back(grad, x, y, ctx.rowvar)
        return grad_x, grad_y

    @staticmethod
    def jvp(ctx: Context, x_dot: Any, y_dot: Any, *options: Any) -> Any:
        x, y = ctx.saved_tensors
        return corrcoef_push((x_dot, y_dot), x, y, ctx.rowvar)


@table.rule(np.bincount)
class Bincount(Function):
    """How often each number is in x, or the sum of the weights there."""

    linear = ("weights",)

    @staticmethod
    def forward(ctx: Context, x: Any, /, weights: Any = None, minlength: int = 0) -> Any:
        ctx.save_for_backward(x)
        return np.bincount(x, weights, minlength)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (x,) = ctx.saved_tensors
        return None, np.take(grad, x)


RULES = table.freeze()
