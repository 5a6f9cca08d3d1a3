"""Rules of the parts of complex numbers, and of functions that clean numbers up."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.rules.base import Context, Function
from srcgrad.rules.registry import RuleTable
from srcgrad.runtime import (
    angle_slope,
    imag_back,
    is_complex,
    real_part,
    scaled_back,
)

table = RuleTable("complex_parts")


@table.rule(np.conjugate)
class Conjugate(Function):
    """y = the complex conjugate of x."""

    linear = ("x",)

    @staticmethod
    def forward(ctx: Context, x: Any) -> Any:
        return np.conjugate(x)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return np.conjugate(grad)


@table.rule(np.real)
class Real(Function):
    """y = the real part of val."""

    linear = ("val",)

    @staticmethod
    def forward(ctx: Context, val: Any) -> Any:
        return np.real(val)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return real_part(grad)


@table.rule(np.imag)
class Imag(Function):
    """y = the imaginary part of val, 0 of a real one."""

    linear = ("val",)

    @staticmethod
    def forward(ctx: Context, val: Any) -> Any:
        ctx.is_complex = is_complex(val)
        return np.imag(val)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return imag_back(grad, ctx.is_complex)


@table.rule(np.angle)
class Angle(Function):
    """y = the angle of z, in radians or degrees; 0 at 0 and for real z."""

    @staticmethod
    def forward(ctx: Context, z: Any, deg: bool = False) -> Any:
        ctx.deg = deg
        ctx.save_for_backward(z)
        return np.angle(z, deg)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (z,) = ctx.saved_tensors
        return real_part(grad) * angle_slope(z, ctx.deg)


@table.rule(np.real_if_close)
class RealIfClose(Function):
    """y = a, without its imaginary part if that is negligible."""

    linear = ("a",)

    @staticmethod
    def forward(ctx: Context, a: Any, tol: float = 100) -> Any:
        return np.real_if_close(a, tol)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return grad


@table.rule(np.nan_to_num)
class NanToNum(Function):
    """y = x, with a constant in place of what is not finite."""

    elementwise = True

    @staticmethod
    def forward(
        ctx: Context,
        x: Any,
        copy: bool = True,
        nan: float = 0.0,
        posinf: float | None = None,
        neginf: float | None = None,
    ) -> Any:
        ctx.save_for_backward(np.isfinite(x))
        return np.nan_to_num(x, copy, nan, posinf, neginf)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (finite,) = ctx.saved_tensors
        return np.where(finite, grad, 0.0)


@table.rule(np.unwrap)
class Unwrap(Function):
    """y = p plus whole periods, which are constant between jumps."""

    @staticmethod
    def forward(
        ctx: Context,
        p: Any,
        discont: Any = None,
        axis: int = -1,
        *,
        period: float = 2 * np.pi,
    ) -> Any:
        return np.unwrap(p, discont, axis, period=period)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        return grad


@table.rule(np.modf)
class Modf(Function):
    """The fraction of x, and its whole part, which is constant between jumps."""

    @staticmethod
    def forward(ctx: Context, x: Any) -> Any:
        return np.modf(x)

    @staticmethod
    def backward(ctx: Context, grad: Any, grad_whole: Any) -> Any:
        return grad


@table.rule(np.frexp)
class Frexp(Function):
    """The mantissa x / 2**e, and the exponent e, which is constant between jumps."""

    @staticmethod
    def forward(ctx: Context, x: Any) -> Any:
        result = np.frexp(x)
        ctx.save_for_backward(result[1])
        return result

    @staticmethod
    def backward(ctx: Context, grad: Any, grad_exponent: Any) -> Any:
        (exponent,) = ctx.saved_tensors
        return scaled_back(grad, exponent)

    @staticmethod
    def jvp(ctx: Context, x_dot: Any) -> Any:
        (exponent,) = ctx.saved_tensors
        return np.ldexp(x_dot, -exponent), 0.0 * exponent


RULES = table.freeze()
