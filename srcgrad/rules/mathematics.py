"""Rules of the functions of Python's `math` and `cmath` of one number."""

from __future__ import annotations

import cmath
import math
from typing import Any

import numpy as np

from srcgrad.rules import elementwise
from srcgrad.rules.base import Context, Function
from srcgrad.rules.registry import RuleTable
from srcgrad.runtime import (
    angle_slope,
    conj,
    digamma,
    number_sign,
    real_part,
    rect_push,
)

table = RuleTable("mathematics")


@table.slope(math.sin)
def sin(x: Any) -> Any:
    return math.cos(x)


@table.slope(math.cos)
def cos(x: Any) -> Any:
    return -math.sin(x)


@table.slope(math.asin)
def asin(x: Any) -> Any:
    return 1 / math.sqrt(1 - x * x)


@table.slope(math.acos)
def acos(x: Any) -> Any:
    return -1 / math.sqrt(1 - x * x)


@table.slope(math.sinh)
def sinh(x: Any) -> Any:
    return math.cosh(x)


@table.slope(math.cosh)
def cosh(x: Any) -> Any:
    return math.sinh(x)


@table.slope(math.asinh)
def asinh(x: Any) -> Any:
    return 1 / math.sqrt(x * x + 1)


@table.slope(math.acosh)
def acosh(x: Any) -> Any:
    return 1 / math.sqrt(x * x - 1)


@table.slope(math.erf)
def erf(x: Any) -> Any:
    return 2 / math.sqrt(math.pi) * math.exp(-x * x)


@table.slope(math.erfc)
def erfc(x: Any) -> Any:
    return -2 / math.sqrt(math.pi) * math.exp(-x * x)


@table.slope(math.gamma)
def gamma(x: Any) -> Any:
    return math.gamma(x) * digamma(x)


@table.slope(math.lgamma)
def lgamma(x: Any) -> Any:
    return digamma(x)


@table.slope(math.fabs)
def fabs(x: Any) -> Any:
    return number_sign(x)


@table.slope(cmath.sin)
def complex_sin(x: Any) -> Any:
    return cmath.cos(x)


@table.slope(cmath.cos)
def complex_cos(x: Any) -> Any:
    return -cmath.sin(x)


@table.slope(cmath.asin)
def complex_asin(x: Any) -> Any:
    return 1 / cmath.sqrt(1 - x * x)


@table.slope(cmath.acos)
def complex_acos(x: Any) -> Any:
    return -1 / cmath.sqrt(1 - x * x)


@table.slope(cmath.sinh)
def complex_sinh(x: Any) -> Any:
    return cmath.cosh(x)


@table.slope(cmath.cosh)
def complex_cosh(x: Any) -> Any:
    return cmath.sinh(x)


@table.slope(cmath.asinh)
def complex_asinh(x: Any) -> Any:
    return 1 / cmath.sqrt(x * x + 1)


@table.slope(cmath.acosh)
def complex_acosh(x: Any) -> Any:
    return 1 / (cmath.sqrt(x - 1) * cmath.sqrt(x + 1))


@table.slope(cmath.sqrt)
def complex_sqrt(y: Any) -> Any:
    return 0.5 / y


@table.slope(cmath.log10)
def complex_log10(x: Any) -> Any:
    return 1 / (x * math.log(10))


@table.rule(math.log)
class MathLog(Function):
    """y = log(x), to the given base."""

    elementwise = True

    @staticmethod
    def forward(ctx: Context, x: Any, base: Any = None, /) -> Any:
        y = math.log(x) if base is None else math.log(x, base)
        ctx.natural = base is None
        ctx.save_for_backward(x, base, y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        x, base, y = ctx.saved_tensors
        grad_x, grad_base = None, None
        if ctx.natural:
            grad_x = grad / x
        else:
            grad_x = grad / (x * math.log(base))
            grad_base = -grad * y / (base * math.log(base))
        return grad_x, grad_base


@table.rule(math.log2)
class MathLog2(elementwise.Log2):
    """y = log2(x) of a number."""

    @staticmethod
    def forward(ctx: Context, x: Any, /) -> Any:
        ctx.save_for_backward(x)
        return math.log2(x)


@table.rule(math.log10)
class MathLog10(elementwise.Log10):
    """y = log10(x) of a number."""

    @staticmethod
    def forward(ctx: Context, x: Any, /) -> Any:
        ctx.save_for_backward(x)
        return math.log10(x)


@table.rule(math.log1p)
class MathLog1p(elementwise.Log1p):
    """y = log(1 + x) of a number."""

    @staticmethod
    def forward(ctx: Context, x: Any, /) -> Any:
        ctx.save_for_backward(x)
        return math.log1p(x)


@table.rule(math.sqrt)
class MathSqrt(elementwise.Sqrt):
    """y = sqrt(x) of a number."""

    @staticmethod
    def forward(ctx: Context, x: Any, /) -> Any:
        y = math.sqrt(x)
        ctx.save_for_backward(y)
        return y


@table.rule(math.cbrt)
class MathCbrt(elementwise.Cbrt):
    """y = the third root of a number."""

    @staticmethod
    def forward(ctx: Context, x: Any, /) -> Any:
        y = math.cbrt(x)
        ctx.save_for_backward(y)
        return y


@table.rule(math.degrees)
class MathDegrees(elementwise.Rad2deg):
    """y = x * 180 / pi of a number."""

    @staticmethod
    def forward(ctx: Context, x: Any, /) -> Any:
        return math.degrees(x)


@table.rule(math.radians)
class MathRadians(elementwise.Deg2rad):
    """y = x * pi / 180 of a number."""

    @staticmethod
    def forward(ctx: Context, x: Any, /) -> Any:
        return math.radians(x)


@table.rule(math.frexp)
class MathFrexp(Function):
    """The mantissa x / 2**e, and the exponent e, which is constant between jumps."""

    @staticmethod
    def forward(ctx: Context, x: Any, /) -> Any:
        result = math.frexp(x)
        ctx.save_for_backward(result[1])
        return result

    @staticmethod
    def backward(ctx: Context, grad: Any, grad_exponent: Any) -> Any:
        (exponent,) = ctx.saved_tensors
        return math.ldexp(grad, -exponent)

    @staticmethod
    def jvp(ctx: Context, x_dot: Any) -> Any:
        (exponent,) = ctx.saved_tensors
        return math.ldexp(x_dot, -exponent), 0.0


@table.rule(cmath.log)
class ComplexLog(Function):
    """y = log(x), to the given base."""

    elementwise = True

    @staticmethod
    def forward(ctx: Context, x: Any, base: Any = None, /) -> Any:
        y = cmath.log(x) if base is None else cmath.log(x, base)
        ctx.natural = base is None
        ctx.save_for_backward(x, base, y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        x, base, y = ctx.saved_tensors
        grad_x, grad_base = None, None
        if ctx.natural:
            grad_x = grad / conj(x)
        else:
            grad_x = grad / conj(x * cmath.log(base))
            grad_base = -grad * conj(y / (base * cmath.log(base)))
        return grad_x, grad_base


@table.rule(cmath.phase)
class Phase(Function):
    """y = the angle of x."""

    @staticmethod
    def forward(ctx: Context, x: Any, /) -> Any:
        ctx.save_for_backward(x)
        return cmath.phase(x)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (x,) = ctx.saved_tensors
        return real_part(grad) * angle_slope(x, False)


@table.rule(cmath.polar)
class Polar(Function):
    """The absolute value and the angle of x."""

    @staticmethod
    def forward(ctx: Context, x: Any, /) -> Any:
        ctx.save_for_backward(x)
        return cmath.polar(x)

    @staticmethod
    def backward(ctx: Context, grad_r: Any, grad_phi: Any) -> Any:
        (x,) = ctx.saved_tensors
        return real_part(grad_r) * np.sign(x) + real_part(grad_phi) * angle_slope(x, False)


@table.rule(cmath.rect)
class Rect(Function):
    """y = r * exp(phi * 1j)."""

    @staticmethod
    def forward(ctx: Context, r: Any, phi: Any, /) -> Any:
        ctx.save_for_backward(r, phi)
        return cmath.rect(r, phi)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        r, phi = ctx.saved_tensors
        grad_r = real_part(grad * conj(np.exp(1j * phi)))
        grad_phi = real_part(grad * conj(1j * r * np.exp(1j * phi)))
        return grad_r, grad_phi

    @staticmethod
    def jvp(ctx: Context, r_dot: Any, phi_dot: Any) -> Any:
        r, phi = ctx.saved_tensors
        return rect_push(r_dot, phi_dot, r, phi)


RULES = table.freeze()
