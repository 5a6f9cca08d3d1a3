"""Rules of NumPy's functions of one array that act on each element."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from srcgrad.rules.base import Context, Elementwise, Function
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

    @staticmethod
    def forward(ctx: Context, x: Any) -> Any:
        ctx.save_for_backward(x)
        return np.absolute(x)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (x,) = ctx.saved_tensors
        return real_part(grad) * np.sign(x)


@table.rule(np.fabs)
class Fabs(Elementwise):
    """y = |x| of real numbers; the gradient at 0 is 0."""

    primal = np.fabs

    @staticmethod
    def slope(x: Any) -> Any:
        return np.sign(x)


@table.rule(np.exp)
class Exp(Elementwise):
    """y = e**x, dy/dx = y."""

    primal = np.exp

    @staticmethod
    def slope(y: Any) -> Any:
        return y


@table.rule(np.exp2)
class Exp2(Elementwise):
    """y = 2**x, dy/dx = log(2) * y."""

    primal = np.exp2

    @staticmethod
    def slope(y: Any) -> Any:
        return y * math.log(2)


@table.rule(np.expm1)
class Expm1(Elementwise):
    """y = e**x - 1, dy/dx = y + 1."""

    primal = np.expm1

    @staticmethod
    def slope(y: Any) -> Any:
        return y + 1


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


@table.rule(np.square)
class Square(Elementwise):
    """y = x**2, dy/dx = 2 x."""

    primal = np.square

    @staticmethod
    def slope(x: Any) -> Any:
        return 2 * x


@table.rule(np.reciprocal)
class Reciprocal(Elementwise):
    """y = 1 / x, dy/dx = -y**2."""

    primal = np.reciprocal

    @staticmethod
    def slope(y: Any) -> Any:
        return -y * y


@table.rule(np.sin)
class Sin(Elementwise):
    """y = sin(x)."""

    primal = np.sin

    @staticmethod
    def slope(x: Any) -> Any:
        return np.cos(x)


@table.rule(np.cos)
class Cos(Elementwise):
    """y = cos(x)."""

    primal = np.cos

    @staticmethod
    def slope(x: Any) -> Any:
        return -np.sin(x)


@table.rule(np.tan)
class Tan(Elementwise):
    """y = tan(x), dy/dx = 1 + y**2."""

    primal = np.tan

    @staticmethod
    def slope(y: Any) -> Any:
        return 1 + y * y


@table.rule(np.arcsin)
class Arcsin(Elementwise):
    """y = arcsin(x)."""

    primal = np.arcsin

    @staticmethod
    def slope(x: Any) -> Any:
        return 1 / np.sqrt(1 - x * x)


@table.rule(np.arccos)
class Arccos(Elementwise):
    """y = arccos(x)."""

    primal = np.arccos

    @staticmethod
    def slope(x: Any) -> Any:
        return -1 / np.sqrt(1 - x * x)


@table.rule(np.arctan)
class Arctan(Elementwise):
    """y = arctan(x)."""

    primal = np.arctan

    @staticmethod
    def slope(x: Any) -> Any:
        return 1 / (1 + x * x)


@table.rule(np.sinh)
class Sinh(Elementwise):
    """y = sinh(x)."""

    primal = np.sinh

    @staticmethod
    def slope(x: Any) -> Any:
        return np.cosh(x)


@table.rule(np.cosh)
class Cosh(Elementwise):
    """y = cosh(x)."""

    primal = np.cosh

    @staticmethod
    def slope(x: Any) -> Any:
        return np.sinh(x)


@table.rule(np.tanh)
class Tanh(Elementwise):
    """y = tanh(x), dy/dx = 1 - y**2."""

    primal = np.tanh

    @staticmethod
    def slope(y: Any) -> Any:
        return 1 - y * y


@table.rule(np.arcsinh)
class Arcsinh(Elementwise):
    """y = arsinh(x)."""

    primal = np.arcsinh

    @staticmethod
    def slope(x: Any) -> Any:
        return 1 / np.sqrt(x * x + 1)


@table.rule(np.arccosh)
class Arccosh(Elementwise):
    """y = arcosh(x); the root is split so that it takes the right branch for complex x."""

    primal = np.arccosh

    @staticmethod
    def slope(x: Any) -> Any:
        return 1 / (np.sqrt(x - 1) * np.sqrt(x + 1))


@table.rule(np.arctanh)
class Arctanh(Elementwise):
    """y = artanh(x)."""

    primal = np.arctanh

    @staticmethod
    def slope(x: Any) -> Any:
        return 1 / (1 - x * x)


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
