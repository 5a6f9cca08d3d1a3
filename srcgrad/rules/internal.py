"""Rules of the runtime's own functions, which gradients call and second derivatives meet."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.rules.base import Context, Elementwise, Function, Pointwise
from srcgrad.rules.registry import RuleTable
from srcgrad.runtime import (
    beside,
    cast_like,
    chosen_part,
    conj,
    copied,
    digamma,
    dot_left,
    dot_right,
    exp_difference,
    expand_reduced,
    getitem,
    greater_part,
    kept_if,
    kept_unless,
    matmul_left,
    matmul_right,
    part_if_greater,
    part_if_less,
    polygamma,
    real_part,
    resize_axis,
    scatter,
    trigamma,
    unbroadcast,
    written_over,
)
from srcgrad.runtime.surgery import grad_of

table = RuleTable("internal")


@table.rule(unbroadcast)
class Unbroadcast(Function):
    """The sum of grad down to the shape of like."""

    linear = ("grad",)
    inert = ("like",)

    @staticmethod
    def forward(ctx: Context, grad: Any, like: Any) -> Any:
        ctx.shape = np.shape(grad)
        return unbroadcast(grad, like)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return np.broadcast_to(grad, ctx.shape)


@table.rule(exp_difference)
class ExpDifference(Function):
    """y = exp(x - z), also where both are infinite."""

    elementwise = True

    @staticmethod
    def forward(ctx: Context, x: Any, z: Any) -> Any:
        y = exp_difference(x, z)
        ctx.x_shape, ctx.z_shape = np.shape(x), np.shape(z)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (y,) = ctx.saved_tensors
        grad_x = unbroadcast(grad * y, ctx.x_shape) if ctx.needs_input_grad[0] else None
        grad_z = unbroadcast(-grad * y, ctx.z_shape) if ctx.needs_input_grad[1] else None
        return grad_x, grad_z


@table.rule(grad_of.edited)
class Edited(Function):
    """X, whose adjoint a block of the user's edits: the compiler puts that in place."""

    inert = ("block",)

    @staticmethod
    def forward(ctx: Context, x: Any, block: Any, *reads: Any) -> Any:
        return x

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return grad


@table.rule(beside)
class Beside(Function):
    """Value, in the memory where like is."""

    linear = ("value",)
    inert = ("like",)

    @staticmethod
    def forward(ctx: Context, value: Any, like: Any) -> Any:
        return beside(value, like)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return grad


@table.rule(cast_like)
class CastLike(Function):
    """Value in the precision of like."""

    linear = ("value",)
    inert = ("grad",)

    @staticmethod
    def forward(ctx: Context, value: Any, grad: Any) -> Any:
        return cast_like(value, grad)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return grad


@table.rule(written_over)
class WrittenOver(Function):
    """New, as an update in place of old has it."""

    linear = ("new",)
    inert = ("old",)

    @staticmethod
    def forward(ctx: Context, old: Any, new: Any) -> Any:
        return written_over(old, new)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return None, grad


@table.rule(resize_axis)
class ResizeAxis(Function):
    """X cut along an axis, or with zeros at its end."""

    linear = ("x",)

    @staticmethod
    def forward(ctx: Context, x: Any, length: int, axis: int) -> Any:
        ctx.length, ctx.axis = np.shape(x)[axis], axis
        return resize_axis(x, length, axis)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return resize_axis(grad, ctx.length, ctx.axis)


@table.rule(expand_reduced)
class ExpandReduced(Function):
    """Grad with its reduced axes back in place."""

    linear = ("grad",)
    inert = ("like",)

    @staticmethod
    def forward(
        ctx: Context, grad: Any, like: Any, axis: Any = None, keepdims: bool = False
    ) -> Any:
        ctx.axis, ctx.keepdims = axis, keepdims
        return expand_reduced(grad, like, axis, keepdims)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return np.sum(grad, axis=ctx.axis, keepdims=ctx.keepdims)


@table.rule(scatter)
class Scatter(Function):
    """Zeros with grad added at index."""

    linear = ("grad",)
    inert = ("like",)

    @staticmethod
    def forward(ctx: Context, grad: Any, index: Any, like: Any) -> Any:
        ctx.index = index
        return scatter(grad, index, like)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return getitem(grad, ctx.index)


@table.rule(greater_part)
class GreaterPart(Function):
    """The part of grad that goes to the greater of two, x."""

    linear = ("grad",)
    inert = ("x", "y")

    @staticmethod
    def forward(ctx: Context, grad: Any, x: Any, y: Any) -> Any:
        ctx.shape = np.shape(grad)
        ctx.save_for_backward(x, y)
        return greater_part(grad, x, y)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        x, y = ctx.saved_tensors
        return unbroadcast(greater_part(grad, x, y), ctx.shape)


@table.rule(part_if_greater)
class PartIfGreater(Function):
    """The part of grad that goes to the first of two in this order."""

    linear = ("grad",)
    inert = ("order",)

    @staticmethod
    def forward(ctx: Context, grad: Any, order: Any) -> Any:
        ctx.shape = np.shape(grad)
        ctx.save_for_backward(order)
        return part_if_greater(grad, order)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (order,) = ctx.saved_tensors
        return unbroadcast(part_if_greater(grad, order), ctx.shape)


@table.rule(part_if_less)
class PartIfLess(Function):
    """The part of grad that goes to the second of two in this order."""

    linear = ("grad",)
    inert = ("order",)

    @staticmethod
    def forward(ctx: Context, grad: Any, order: Any) -> Any:
        ctx.shape = np.shape(grad)
        ctx.save_for_backward(order)
        return part_if_less(grad, order)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (order,) = ctx.saved_tensors
        return unbroadcast(part_if_less(grad, order), ctx.shape)


@table.rule(kept_if)
class KeptIf(Function):
    """Grad where a test holds, and 0 elsewhere."""

    linear = ("grad",)
    inert = ("test",)

    @staticmethod
    def forward(ctx: Context, grad: Any, test: Any) -> Any:
        ctx.shape = np.shape(grad)
        ctx.save_for_backward(test)
        return kept_if(grad, test)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (test,) = ctx.saved_tensors
        return unbroadcast(kept_if(grad, test), ctx.shape)


@table.rule(kept_unless)
class KeptUnless(Function):
    """0 where a test holds, and grad elsewhere."""

    linear = ("grad",)
    inert = ("test",)

    @staticmethod
    def forward(ctx: Context, grad: Any, test: Any) -> Any:
        ctx.shape = np.shape(grad)
        ctx.save_for_backward(test)
        return kept_unless(grad, test)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (test,) = ctx.saved_tensors
        return unbroadcast(kept_unless(grad, test), ctx.shape)


@table.rule(chosen_part)
class ChosenPart(Function):
    """The part of grad that goes to x, of which z was chosen."""

    linear = ("grad",)
    inert = ("z", "x", "y")

    @staticmethod
    def forward(ctx: Context, grad: Any, z: Any, x: Any, y: Any) -> Any:
        ctx.shape = np.shape(grad)
        ctx.save_for_backward(z, x, y)
        return chosen_part(grad, z, x, y)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        z, x, y = ctx.saved_tensors
        return unbroadcast(chosen_part(grad, z, x, y), ctx.shape)


@table.rule(matmul_left)
class MatmulLeft(Function):
    """The gradient of x in x @ w."""

    multilinear = ("grad", "w")
    inert = ("x",)

    @staticmethod
    def forward(ctx: Context, grad: Any, x: Any, w: Any) -> Any:
        ctx.save_for_backward(grad, w)
        return matmul_left(grad, x, w)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        outer, w = ctx.saved_tensors
        grad_grad = grad @ w if ctx.needs_input_grad[0] else None
        grad_w = matmul_right(outer, grad, w) if ctx.needs_input_grad[2] else None
        return grad_grad, None, grad_w


@table.rule(matmul_right)
class MatmulRight(Function):
    """The gradient of w in x @ w."""

    multilinear = ("grad", "x")
    inert = ("w",)

    @staticmethod
    def forward(ctx: Context, grad: Any, x: Any, w: Any) -> Any:
        ctx.save_for_backward(grad, x)
        return matmul_right(grad, x, w)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        outer, x = ctx.saved_tensors
        grad_grad = x @ grad if ctx.needs_input_grad[0] else None
        grad_x = matmul_left(outer, x, grad) if ctx.needs_input_grad[1] else None
        return grad_grad, grad_x


@table.rule(dot_left)
class DotLeft(Function):
    """The gradient of a in np.dot(a, b)."""

    multilinear = ("grad", "b")
    inert = ("a",)

    @staticmethod
    def forward(ctx: Context, grad: Any, a: Any, b: Any) -> Any:
        ctx.save_for_backward(grad, b)
        return dot_left(grad, a, b)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        outer, b = ctx.saved_tensors
        grad_grad = np.dot(grad, b) if ctx.needs_input_grad[0] else None
        grad_b = dot_right(outer, grad, b) if ctx.needs_input_grad[2] else None
        return grad_grad, None, grad_b


@table.rule(dot_right)
class DotRight(Function):
    """The gradient of b in np.dot(a, b)."""

    multilinear = ("grad", "a")
    inert = ("b",)

    @staticmethod
    def forward(ctx: Context, grad: Any, a: Any, b: Any) -> Any:
        ctx.save_for_backward(grad, a)
        return dot_right(grad, a, b)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        outer, a = ctx.saved_tensors
        grad_grad = np.dot(a, grad) if ctx.needs_input_grad[0] else None
        grad_a = dot_left(outer, a, grad) if ctx.needs_input_grad[1] else None
        return grad_grad, grad_a


@table.rule(copied)
class Copied(Function):
    """A copy of x, entry by entry if it is a container."""

    linear = ("x",)

    @staticmethod
    def forward(ctx: Context, x: Any) -> Any:
        return copied(x)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return grad


@table.rule(conj)
class Conj(Function):
    """The conjugate of x, if it is complex."""

    linear = ("x",)

    @staticmethod
    def forward(ctx: Context, x: Any) -> Any:
        return conj(x)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return conj(grad)


@table.rule(real_part)
class RealPart(Function):
    """The real part of x."""

    linear = ("x",)

    @staticmethod
    def forward(ctx: Context, x: Any) -> Any:
        return real_part(x)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return real_part(grad)


@table.rule(digamma)
class Digamma(Elementwise):
    """The derivative of the logarithm of the gamma function."""

    primal = digamma

    @staticmethod
    def slope(x: Any) -> Any:
        return trigamma(x)


@table.rule(trigamma)
class Trigamma(Elementwise):
    """The second derivative of the logarithm of the gamma function."""

    primal = trigamma

    @staticmethod
    def slope(x: Any) -> Any:
        return polygamma(2, x)


@table.rule(polygamma)
class Polygamma(Pointwise):
    """The derivative of order n + 1 of the logarithm of the gamma function."""

    primal = polygamma

    @staticmethod
    def partials(n: Any, x: Any) -> tuple[Any, ...]:
        return None, polygamma(n + 1, x)


RULES = table.freeze()
