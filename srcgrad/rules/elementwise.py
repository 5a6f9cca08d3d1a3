"""Rules of NumPy's functions of one array that act on each element.

Where a formula calls no other function, it serves `math` and `cmath` as well; the rest of theirs is
in `mathematics.py`.
"""

from __future__ import annotations

import cmath
import math
import operator
from typing import Any

import numpy as np

from srcgrad.rules.base import Context, Function
from srcgrad.rules.registry import RuleTable
from srcgrad.runtime import (
    conj,
    real_part,
)

table = RuleTable("elementwise")


@table.rule(np.negative, operator.neg)
class Negative(Function):
    """y = -x."""

    linear = ("x",)

    @staticmethod
    def forward(ctx: Context, x: Any) -> Any:
        return np.negative(x)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return -grad


@table.rule(np.positive, operator.pos)
class Positive(Function):
    """y = +x."""

    linear = ("x",)

    @staticmethod
    def forward(ctx: Context, x: Any) -> Any:
        return np.positive(x)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return grad


@table.rule(np.absolute, operator.abs)
class Absolute(Function):
    """y = |x|; the gradient at 0 is 0."""

    elementwise = True
    holomorphic = False
    gives_real = True

    @staticmethod
    def forward(ctx: Context, x: Any) -> Any:
        ctx.save_for_backward(x)
        return np.absolute(x)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (x,) = ctx.saved_tensors
        return real_part(grad) * np.sign(x)


@table.slope(np.fabs)
def fabs(x: Any) -> Any:
    return np.sign(x)


@table.slope(np.exp, math.exp, cmath.exp)
def exp(y: Any) -> Any:
    return y


@table.slope(np.exp2, math.exp2)
def exp2(y: Any) -> Any:
    return y * math.log(2)


@table.slope(np.expm1, math.expm1)
def expm1(y: Any) -> Any:
    return y + 1


@table.slope(np.square)
def square(x: Any) -> Any:
    return 2 * x


@table.slope(np.reciprocal)
def reciprocal(y: Any) -> Any:
    return -y * y


@table.slope(np.sin)
def sin(x: Any) -> Any:
    return np.cos(x)


@table.slope(np.cos)
def cos(x: Any) -> Any:
    return -np.sin(x)


@table.slope(np.tan, math.tan, cmath.tan)
def tan(y: Any) -> Any:
    return 1 + y * y


@table.slope(np.arcsin)
def arcsin(x: Any) -> Any:
    return 1 / np.sqrt(1 - x * x)


@table.slope(np.arccos)
def arccos(x: Any) -> Any:
    return -1 / np.sqrt(1 - x * x)


@table.slope(np.arctan, math.atan, cmath.atan)
def arctan(x: Any) -> Any:
    return 1 / (1 + x * x)


@table.slope(np.sinh)
def sinh(x: Any) -> Any:
    return np.cosh(x)


@table.slope(np.cosh)
def cosh(x: Any) -> Any:
    return np.sinh(x)


@table.slope(np.tanh, math.tanh, cmath.tanh)
def tanh(y: Any) -> Any:
    return 1 - y * y


@table.slope(np.arcsinh)
def arcsinh(x: Any) -> Any:
    return 1 / np.sqrt(x * x + 1)


@table.slope(np.arccosh)
def arccosh(x: Any) -> Any:
    return 1 / (
        np.sqrt(x - 1) * np.sqrt(x + 1)
    )  # split, so that it takes the right branch for complex x


@table.slope(np.arctanh, math.atanh, cmath.atanh)
def arctanh(x: Any) -> Any:
    return 1 / (1 - x * x)


@table.rule(np.log)
class Log(Function):
    """y = log(x), dy/dx = 1 / x."""

    elementwise = True

    @staticmethod
    def forward(ctx: Context, x: Any) -> Any:
        ctx.save_for_backward(x)
        return np.log(x)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (x,) = ctx.saved_tensors
        return grad / conj(x)


@table.rule(np.log2)
class Log2(Function):
    """y = log(x) / log(2)."""

    elementwise = True

    @staticmethod
    def forward(ctx: Context, x: Any) -> Any:
        ctx.save_for_backward(x)
        return np.log2(x)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (x,) = ctx.saved_tensors
        return grad / (conj(x) * math.log(2))


@table.rule(np.log10)
class Log10(Function):
    """y = log(x) / log(10)."""

    elementwise = True

    @staticmethod
    def forward(ctx: Context, x: Any) -> Any:
        ctx.save_for_backward(x)
        return np.log10(x)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (x,) = ctx.saved_tensors
        return grad / (conj(x) * math.log(10))


@table.rule(np.log1p)
class Log1p(Function):
    """y = log(1 + x), dy/dx = 1 / (1 + x)."""

    elementwise = True

    @staticmethod
    def forward(ctx: Context, x: Any) -> Any:
        ctx.save_for_backward(x)
        return np.log1p(x)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (x,) = ctx.saved_tensors
        return grad / (1 + conj(x))


@table.rule(np.sqrt)
class Sqrt(Function):
    """y = sqrt(x), dy/dx = 1 / (2 y)."""

    elementwise = True

    @staticmethod
    def forward(ctx: Context, x: Any) -> Any:
        y = np.sqrt(x)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (y,) = ctx.saved_tensors
        return 0.5 * grad / conj(y)


@table.rule(np.cbrt)
class Cbrt(Function):
    """y = x**(1/3), dy/dx = 1 / (3 y**2)."""

    elementwise = True

    @staticmethod
    def forward(ctx: Context, x: Any) -> Any:
        y = np.cbrt(x)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (y,) = ctx.saved_tensors
        return grad / (3 * y * y)


@table.rule(np.deg2rad, np.radians)
class Deg2rad(Function):
    """y = x * pi / 180."""

    linear = ("x",)

    @staticmethod
    def forward(ctx: Context, x: Any) -> Any:
        return np.deg2rad(x)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return grad * (math.pi / 180)


@table.rule(np.rad2deg, np.degrees)
class Rad2deg(Function):
    """y = x * 180 / pi."""

    linear = ("x",)

    @staticmethod
    def forward(ctx: Context, x: Any) -> Any:
        return np.rad2deg(x)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return grad * (180 / math.pi)


RULES = table.freeze()
