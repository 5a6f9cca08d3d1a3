"""Rules of Python's builtins that calculate with numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.rules.base import Context, Function
from srcgrad.rules.registry import RuleTable
from srcgrad.runtime import (
    as_shape,
    conj,
    divmod_push,
    extreme_push,
    greater_part,
    is_number,
    is_pair,
    item_shapes,
    only_if,
    power_log_slope,
    power_slope,
    real_part,
    repeated,
    shared_each,
    sign,
    unbroadcast,
)

table = RuleTable("builtin")


@table.rule(abs)
class BuiltinAbs(Function):
    """y = |x|; the gradient at 0 is 0."""

    elementwise = True
    holomorphic = False
    gives_real = True

    @staticmethod
    def forward(ctx: Context, x: Any, /) -> Any:
        ctx.save_for_backward(x)
        return abs(x)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (x,) = ctx.saved_tensors
        return real_part(grad) * sign(x)


@table.rule(float)
class BuiltinFloat(Function):
    """y = x as a Python number."""

    linear = ("x",)

    @staticmethod
    def forward(ctx: Context, x: Any = 0.0, /) -> Any:
        ctx.shape = np.shape(x)
        return float(x)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return as_shape(grad, ctx.shape)


@table.rule(complex)
class BuiltinComplex(Function):
    """z = real + 1j * imag."""

    linear = ("real", "imag")

    @staticmethod
    def forward(ctx: Context, real: Any = 0, imag: Any = 0) -> Any:
        return complex(real, imag)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return grad, -1j * grad


@table.rule(pow)
class BuiltinPow(Function):
    """z = base**exp."""

    elementwise = True

    @staticmethod
    def forward(ctx: Context, base: Any, exp: Any, mod: Any = None) -> Any:
        z = pow(base, exp) if mod is None else pow(base, exp, mod)
        ctx.base_shape, ctx.exp_shape = np.shape(base), np.shape(exp)
        ctx.save_for_backward(base, exp, z)
        return z

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        base, exp, z = ctx.saved_tensors
        grad_base, grad_exp = None, None
        if ctx.needs_input_grad[0]:
            if is_number(exp, 2):
                grad_base = 2 * conj(base) * grad
            else:
                grad_base = unbroadcast(grad * conj(power_slope(base, exp)), ctx.base_shape)
        if ctx.needs_input_grad[1]:
            grad_exp = unbroadcast(grad * conj(power_log_slope(base, exp, z)), ctx.exp_shape)
        return grad_base, grad_exp


@table.rule(divmod)
class BuiltinDivmod(Function):
    """The quotient, constant between jumps, and the remainder x - quotient * y."""

    @staticmethod
    def forward(ctx: Context, x: Any, y: Any, /) -> Any:
        result = divmod(x, y)
        ctx.x_shape, ctx.y_shape = np.shape(x), np.shape(y)
        ctx.save_for_backward(result[0])
        return result

    @staticmethod
    def backward(ctx: Context, grad_quotient: Any, grad: Any) -> Any:
        (quotient,) = ctx.saved_tensors
        grad_x = only_if(grad, 1, ctx.x_shape) if ctx.needs_input_grad[0] else None
        grad_y = only_if(grad, -quotient, ctx.y_shape) if ctx.needs_input_grad[1] else None
        return grad_x, grad_y

    @staticmethod
    def jvp(ctx: Context, x_dot: Any, y_dot: Any) -> Any:
        (quotient,) = ctx.saved_tensors
        return divmod_push(x_dot, y_dot, quotient)


@table.rule(sum)
class BuiltinSum(Function):
    """y = the items one after the other, added to start."""

    linear = ("iterable", "start")

    @staticmethod
    def forward(ctx: Context, iterable: Any, /, start: Any = 0) -> Any:
        ctx.shapes, ctx.start_shape = item_shapes(iterable), np.shape(start)
        return sum(iterable, start)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return repeated(grad, ctx.shapes), unbroadcast(grad, ctx.start_shape)


@table.rule(max)
class BuiltinMax(Function):
    """y = the largest of several arguments, or of the items of one; split evenly among ties."""

    @staticmethod
    def forward(ctx: Context, *args: Any) -> Any:
        y = max(*args)
        ctx.save_for_backward(y, *args)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        y, *args = ctx.saved_tensors
        is_first = not ctx.needs_input_grad[1] if is_pair(args) else False
        return (  # Python takes the first unless the second one is greater
            (greater_part(grad, args[0], args[1]), None) if is_first else shared_each(grad, args, y)
        )

    @staticmethod
    def jvp(ctx: Context, *tangents: Any) -> Any:
        y, *args = ctx.saved_tensors
        return extreme_push(tangents, args, y)


@table.rule(min)
class BuiltinMin(Function):
    """y = the smallest of several arguments, or of the items of one; split evenly among ties."""

    @staticmethod
    def forward(ctx: Context, *args: Any) -> Any:
        y = min(*args)
        ctx.save_for_backward(y, *args)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        y, *args = ctx.saved_tensors
        is_first = not ctx.needs_input_grad[1] if is_pair(args) else False
        return (  # Python takes the first unless the second one is less
            (greater_part(grad, args[1], args[0]), None) if is_first else shared_each(grad, args, y)
        )

    @staticmethod
    def jvp(ctx: Context, *tangents: Any) -> Any:
        y, *args = ctx.saved_tensors
        return extreme_push(tangents, args, y)


RULES = table.freeze()
