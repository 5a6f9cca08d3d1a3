"""Rules of the math module's functions of several numbers."""

from __future__ import annotations

import math
from typing import Any

from srcgrad.rules.base import Context, Function
from srcgrad.rules.registry import RuleTable
from srcgrad.runtime import (
    dist_back,
    dist_push,
    divide_or_zero,
    divided_each,
    hypot_push,
    is_number,
    item_shapes,
    number_sign,
    power_log_slope,
    power_slope,
    prod_push,
    product_back,
    repeated,
)

table = RuleTable("number_pairs")


@table.rule(math.pow)
class MathPow(Function):
    """z = x**y."""

    elementwise = True

    @staticmethod
    def forward(ctx: Context, x: Any, y: Any, /) -> Any:
        z = math.pow(x, y)
        ctx.save_for_backward(x, y, z)
        return z

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        x, y, z = ctx.saved_tensors
        grad_x, grad_y = None, None
        if ctx.needs_input_grad[0]:
            grad_x = 2 * x * grad if is_number(y, 2) else grad * power_slope(x, y)
        if ctx.needs_input_grad[1]:
            grad_y = grad * power_log_slope(x, y, z)
        return grad_x, grad_y


@table.rule(math.atan2)
class MathAtan2(Function):
    """The angle of the point at height y and distance x along the axis; 0 at the origin."""

    elementwise = True

    @staticmethod
    def forward(ctx: Context, y: Any, x: Any, /) -> Any:
        ctx.save_for_backward(y, x)
        return math.atan2(y, x)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        y, x = ctx.saved_tensors
        grad_y = grad * divide_or_zero(x, x * x + y * y) if ctx.needs_input_grad[0] else None
        grad_x = -grad * divide_or_zero(y, x * x + y * y) if ctx.needs_input_grad[1] else None
        return grad_y, grad_x


@table.rule(math.hypot)
class MathHypot(Function):
    """y = the length of a vector; the gradient at 0 is 0."""

    @staticmethod
    def forward(ctx: Context, *coordinates: Any) -> Any:
        y = math.hypot(*coordinates)
        ctx.save_for_backward(y, *coordinates)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        y, *coordinates = ctx.saved_tensors
        return divided_each(grad, coordinates, y)

    @staticmethod
    def jvp(ctx: Context, *dots: Any) -> Any:
        y, *coordinates = ctx.saved_tensors
        return hypot_push(dots, coordinates, y)


@table.rule(math.dist)
class MathDist(Function):
    """y = the distance of two points; the gradient at 0 is 0."""

    @staticmethod
    def forward(ctx: Context, p: Any, q: Any, /) -> Any:
        y = math.dist(p, q)
        ctx.save_for_backward(p, q, y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        p, q, y = ctx.saved_tensors
        grad_p, grad_q = dist_back(grad, p, q, y)
        return grad_p, grad_q

    @staticmethod
    def jvp(ctx: Context, p_dot: Any, q_dot: Any) -> Any:
        p, q, y = ctx.saved_tensors
        return dist_push((p_dot, q_dot), p, q, y)


@table.rule(math.fmod)
class MathFmod(Function):
    """z = x - trunc(x / y) * y, with the quotient held fixed."""

    elementwise = True

    @staticmethod
    def forward(ctx: Context, x: Any, y: Any, /) -> Any:
        ctx.save_for_backward(x, y)
        return math.fmod(x, y)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        x, y = ctx.saved_tensors
        return grad, -grad * math.trunc(x / y)


@table.rule(math.remainder)
class MathRemainder(Function):
    """z = x - n * y, with the whole number n nearest to x / y held fixed."""

    elementwise = True

    @staticmethod
    def forward(ctx: Context, x: Any, y: Any, /) -> Any:
        z = math.remainder(x, y)
        ctx.save_for_backward(x, y, z)
        return z

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        x, y, z = ctx.saved_tensors
        return grad, -grad * round((x - z) / y)


@table.rule(math.copysign)
class MathCopysign(Function):
    """z = |x| with the sign of y."""

    elementwise = True

    @staticmethod
    def forward(ctx: Context, x: Any, y: Any, /) -> Any:
        ctx.save_for_backward(x, y)
        return math.copysign(x, y)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        x, y = ctx.saved_tensors
        return grad * number_sign(x) * math.copysign(1.0, y), 0.0


@table.rule(math.nextafter)
class MathNextafter(Function):
    """z = x moved by the smallest step towards y."""

    elementwise = True

    @staticmethod
    def forward(ctx: Context, x: Any, y: Any, /) -> Any:
        return math.nextafter(x, y)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return grad, 0.0


@table.rule(math.fsum)
class MathFsum(Function):
    """y = the sum of numbers."""

    linear = ("seq",)

    @staticmethod
    def forward(ctx: Context, seq: Any, /) -> Any:
        ctx.shapes = item_shapes(seq)
        return math.fsum(seq)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return (repeated(grad, ctx.shapes),)


@table.rule(math.prod)
class MathProd(Function):
    """y = the product of numbers; exact with zeros."""

    @staticmethod
    def forward(ctx: Context, iterable: Any, /, *, start: Any = 1) -> Any:
        ctx.save_for_backward(iterable, start)
        return math.prod(iterable, start=start)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        iterable, start = ctx.saved_tensors
        grad_iterable, grad_start = product_back(grad, iterable, start)
        return grad_iterable, grad_start

    @staticmethod
    def jvp(ctx: Context, iterable_dot: Any, start_dot: Any) -> Any:
        iterable, start = ctx.saved_tensors
        return prod_push((iterable_dot, start_dot), iterable, start)


@table.rule(math.ldexp)
class MathLdexp(Function):
    """y = x * 2**i."""

    linear = ("x",)
    inert = ("i",)

    @staticmethod
    def forward(ctx: Context, x: Any, i: int, /) -> Any:
        ctx.i = i
        return math.ldexp(x, i)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return math.ldexp(grad, ctx.i)


@table.rule(math.modf)
class MathModf(Function):
    """The fraction of x, and its whole part."""

    @staticmethod
    def forward(ctx: Context, x: Any, /) -> Any:
        return math.modf(x)

    @staticmethod
    def backward(ctx: Context, grad: Any, grad_whole: Any) -> Any:
        return grad


RULES = table.freeze()
