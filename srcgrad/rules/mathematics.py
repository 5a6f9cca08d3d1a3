"""Rules of the functions of Python's math module."""

from __future__ import annotations

import math
from typing import Any

from srcgrad.rules.base import Context, Elementwise, Function
from srcgrad.rules.registry import RuleTable
from srcgrad.runtime import (
    digamma,
    number_sign,
    shortcut,
)

table = RuleTable("mathematics")


@table.rule(math.exp)
class MathExp(Elementwise):
    """y = exp(x)."""

    primal = math.exp

    @staticmethod
    def slope(y: Any) -> Any:
        return y


@table.rule(math.expm1)
class MathExpm1(Elementwise):
    """y = expm1(x)."""

    primal = math.expm1

    @staticmethod
    def slope(y: Any) -> Any:
        return y + 1


@table.rule(math.sin)
class MathSin(Elementwise):
    """y = sin(x)."""

    primal = math.sin

    @staticmethod
    def slope(x: Any) -> Any:
        return math.cos(x)


@table.rule(math.cos)
class MathCos(Elementwise):
    """y = cos(x)."""

    primal = math.cos

    @staticmethod
    def slope(x: Any) -> Any:
        return -math.sin(x)


@table.rule(math.tan)
class MathTan(Elementwise):
    """y = tan(x)."""

    primal = math.tan

    @staticmethod
    def slope(y: Any) -> Any:
        return 1 + y * y


@table.rule(math.asin)
class MathAsin(Elementwise):
    """y = asin(x)."""

    primal = math.asin

    @staticmethod
    def slope(x: Any) -> Any:
        return 1 / math.sqrt(1 - x * x)


@table.rule(math.acos)
class MathAcos(Elementwise):
    """y = acos(x)."""

    primal = math.acos

    @staticmethod
    def slope(x: Any) -> Any:
        return -1 / math.sqrt(1 - x * x)


@table.rule(math.atan)
class MathAtan(Elementwise):
    """y = atan(x)."""

    primal = math.atan

    @staticmethod
    def slope(x: Any) -> Any:
        return 1 / (1 + x * x)


@table.rule(math.sinh)
class MathSinh(Elementwise):
    """y = sinh(x)."""

    primal = math.sinh

    @staticmethod
    def slope(x: Any) -> Any:
        return math.cosh(x)


@table.rule(math.cosh)
class MathCosh(Elementwise):
    """y = cosh(x)."""

    primal = math.cosh

    @staticmethod
    def slope(x: Any) -> Any:
        return math.sinh(x)


@table.rule(math.tanh)
class MathTanh(Elementwise):
    """y = tanh(x)."""

    primal = math.tanh

    @staticmethod
    def slope(y: Any) -> Any:
        return 1 - y * y


@table.rule(math.asinh)
class MathAsinh(Elementwise):
    """y = asinh(x)."""

    primal = math.asinh

    @staticmethod
    def slope(x: Any) -> Any:
        return 1 / math.sqrt(x * x + 1)


@table.rule(math.acosh)
class MathAcosh(Elementwise):
    """y = acosh(x)."""

    primal = math.acosh

    @staticmethod
    def slope(x: Any) -> Any:
        return 1 / math.sqrt(x * x - 1)


@table.rule(math.atanh)
class MathAtanh(Elementwise):
    """y = atanh(x)."""

    primal = math.atanh

    @staticmethod
    def slope(x: Any) -> Any:
        return 1 / (1 - x * x)


@table.rule(math.exp2)
class MathExp2(Elementwise):
    """y = exp2(x)."""

    primal = math.exp2

    @staticmethod
    def slope(y: Any) -> Any:
        return y * math.log(2)


@table.rule(math.erf)
class MathErf(Elementwise):
    """y = the error function of x."""

    primal = math.erf

    @staticmethod
    def slope(x: Any) -> Any:
        return 2 / math.sqrt(math.pi) * math.exp(-x * x)


@table.rule(math.erfc)
class MathErfc(Elementwise):
    """y = 1 - erf(x)."""

    primal = math.erfc

    @staticmethod
    def slope(x: Any) -> Any:
        return -2 / math.sqrt(math.pi) * math.exp(-x * x)


@table.rule(math.gamma)
class MathGamma(Elementwise):
    """y = the gamma function of x."""

    primal = math.gamma

    @staticmethod
    def slope(x: Any) -> Any:
        return math.gamma(x) * digamma(x)


@table.rule(math.lgamma)
class MathLgamma(Elementwise):
    """y = the logarithm of the absolute value of the gamma function."""

    primal = math.lgamma

    @staticmethod
    def slope(x: Any) -> Any:
        return digamma(x)


@table.rule(math.fabs)
class MathFabs(Elementwise):
    """y = |x|; the gradient at 0 is 0."""

    primal = math.fabs

    @staticmethod
    def slope(x: Any) -> Any:
        return number_sign(x)


@table.rule(math.log)
class MathLog(Function):
    """y = log(x), to the given base."""

    elementwise = True

    @staticmethod
    def forward(ctx: Context, x: Any, base: Any = math.e, /) -> Any:
        y = math.log(x) if base == math.e else math.log(x, base)
        ctx.save_for_backward(x, base, y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        x, base, y = ctx.saved_tensors
        grad_x, grad_base = None, None
        if shortcut(base == math.e):
            grad_x = grad / x
        else:
            grad_x = grad / (x * math.log(base))
            grad_base = -grad * y / (base * math.log(base))
        return grad_x, grad_base


@table.rule(math.log2)
class MathLog2(Function):
    """y = log2(x)."""

    elementwise = True

    @staticmethod
    def forward(ctx: Context, x: Any, /) -> Any:
        ctx.save_for_backward(x)
        return math.log2(x)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (x,) = ctx.saved_tensors
        return grad / (x * math.log(2))


@table.rule(math.log10)
class MathLog10(Function):
    """y = log10(x)."""

    elementwise = True

    @staticmethod
    def forward(ctx: Context, x: Any, /) -> Any:
        ctx.save_for_backward(x)
        return math.log10(x)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (x,) = ctx.saved_tensors
        return grad / (x * math.log(10))


@table.rule(math.log1p)
class MathLog1p(Function):
    """y = log(1 + x)."""

    elementwise = True

    @staticmethod
    def forward(ctx: Context, x: Any, /) -> Any:
        ctx.save_for_backward(x)
        return math.log1p(x)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (x,) = ctx.saved_tensors
        return grad / (1 + x)


@table.rule(math.sqrt)
class MathSqrt(Function):
    """y = sqrt(x)."""

    elementwise = True

    @staticmethod
    def forward(ctx: Context, x: Any, /) -> Any:
        y = math.sqrt(x)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (y,) = ctx.saved_tensors
        return 0.5 * grad / y


@table.rule(math.cbrt)
class MathCbrt(Function):
    """y = the third root of x."""

    elementwise = True

    @staticmethod
    def forward(ctx: Context, x: Any, /) -> Any:
        y = math.cbrt(x)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (y,) = ctx.saved_tensors
        return grad / (3 * y * y)


@table.rule(math.degrees)
class MathDegrees(Function):
    """y = x * 180 / pi."""

    linear = ("x",)

    @staticmethod
    def forward(ctx: Context, x: Any, /) -> Any:
        return math.degrees(x)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return grad * (180 / math.pi)


@table.rule(math.radians)
class MathRadians(Function):
    """y = x * pi / 180."""

    linear = ("x",)

    @staticmethod
    def forward(ctx: Context, x: Any, /) -> Any:
        return math.radians(x)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return grad * (math.pi / 180)


RULES = table.freeze()
