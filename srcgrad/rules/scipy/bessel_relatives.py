"""Rules of integrals of Bessel functions, and of functions that an equation gives derivatives."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from srcgrad.rules.base import Context, Function
from srcgrad.rules.registry import RuleTable
from srcgrad.runtime import conj, real_part, unbroadcast
from srcgrad.runtime.scipy.orders import jv_slope, yv_slope
from srcgrad.runtime.scipy.special import cylinder_push

table = RuleTable("bessel_relatives", real=True)


@table.partials(special.jve)
def jve(v: Any, z: Any) -> tuple[Any, ...]:
    return lambda: jv_slope(v, z), (special.jv(v - 1, z) - special.jv(v + 1, z)) / 2


@table.partials(special.yve)
def yve(v: Any, z: Any) -> tuple[Any, ...]:
    return lambda: yv_slope(v, z), (special.yv(v - 1, z) - special.yv(v + 1, z)) / 2


@table.partials(special.itstruve0)
def itstruve0(x: Any) -> tuple[Any, ...]:
    return (special.struve(0, x),)


@table.partials(special.itmodstruve0)
def itmodstruve0(x: Any) -> tuple[Any, ...]:
    return (special.modstruve(0, x),)


@table.partials(special.it2struve0)
def it2struve0(x: Any) -> tuple[Any, ...]:
    return (-special.struve(0, x) / x,)


@table.rule(special.itj0y0)
class Itj0y0(Function):
    """The integrals of J and Y of order 0 from 0 to x."""

    @staticmethod
    def forward(ctx: Context, x: Any) -> Any:
        ctx.save_for_backward(x)
        return special.itj0y0(x)

    @staticmethod
    def backward(ctx: Context, grad_j: Any, grad_y: Any) -> Any:
        (x,) = ctx.saved_tensors
        return grad_j * special.j0(x) + grad_y * special.y0(x)

    @staticmethod
    def jvp(ctx: Context, x_dot: Any) -> Any:
        (x,) = ctx.saved_tensors
        return x_dot * special.j0(x), x_dot * special.y0(x)


@table.rule(special.iti0k0)
class Iti0k0(Function):
    """The integrals of I and K of order 0 from 0 to x."""

    @staticmethod
    def forward(ctx: Context, x: Any) -> Any:
        ctx.save_for_backward(x)
        return special.iti0k0(x)

    @staticmethod
    def backward(ctx: Context, grad_i: Any, grad_k: Any) -> Any:
        (x,) = ctx.saved_tensors
        return grad_i * special.i0(x) + grad_k * special.k0(x)

    @staticmethod
    def jvp(ctx: Context, x_dot: Any) -> Any:
        (x,) = ctx.saved_tensors
        return x_dot * special.i0(x), x_dot * special.k0(x)


@table.rule(special.it2j0y0)
class It2j0y0(Function):
    """The integral of (1 - J) / t from 0 to x, and that of Y / t from x on, of order 0."""

    @staticmethod
    def forward(ctx: Context, x: Any) -> Any:
        ctx.save_for_backward(x)
        return special.it2j0y0(x)

    @staticmethod
    def backward(ctx: Context, grad_j: Any, grad_y: Any) -> Any:
        (x,) = ctx.saved_tensors
        return grad_j * (1 - special.j0(x)) / x - grad_y * special.y0(x) / x

    @staticmethod
    def jvp(ctx: Context, x_dot: Any) -> Any:
        (x,) = ctx.saved_tensors
        return x_dot * (1 - special.j0(x)) / x, -x_dot * special.y0(x) / x


@table.rule(special.it2i0k0)
class It2i0k0(Function):
    """The integral of (I - 1) / t from 0 to x, and that of K / t from x on, of order 0."""

    @staticmethod
    def forward(ctx: Context, x: Any) -> Any:
        ctx.save_for_backward(x)
        return special.it2i0k0(x)

    @staticmethod
    def backward(ctx: Context, grad_i: Any, grad_k: Any) -> Any:
        (x,) = ctx.saved_tensors
        return grad_i * (special.i0(x) - 1) / x - grad_k * special.k0(x) / x

    @staticmethod
    def jvp(ctx: Context, x_dot: Any) -> Any:
        (x,) = ctx.saved_tensors
        return x_dot * (special.i0(x) - 1) / x, -x_dot * special.k0(x) / x


@table.rule(special.itairy)
class Itairy(Function):
    """The integrals of Ai(t), Bi(t), Ai(-t) and Bi(-t) from 0 to x."""

    @staticmethod
    def forward(ctx: Context, x: Any) -> Any:
        ctx.save_for_backward(x)
        return special.itairy(x)

    @staticmethod
    def backward(ctx: Context, grad_a: Any, grad_b: Any, grad_c: Any, grad_d: Any) -> Any:
        (x,) = ctx.saved_tensors
        right, left = special.airy(x), special.airy(-x)
        return grad_a * right[0] + grad_b * right[2] + grad_c * left[0] + grad_d * left[2]

    @staticmethod
    def jvp(ctx: Context, x_dot: Any) -> Any:
        (x,) = ctx.saved_tensors
        right, left = special.airy(x), special.airy(-x)
        return x_dot * right[0], x_dot * right[2], x_dot * left[0], x_dot * left[2]


@table.rule(special.airye)
class Airye(Function):
    """Functions of Airy and their derivatives, scaled by exp(2/3 x**1.5); by DLMF 9.2.1."""

    @staticmethod
    def forward(ctx: Context, z: Any) -> Any:
        y = special.airye(z)
        ctx.save_for_backward(z, y[0], y[1], y[2], y[3])
        return y

    @staticmethod
    def backward(ctx: Context, grad_ai: Any, grad_aip: Any, grad_bi: Any, grad_bip: Any) -> Any:
        z, ai, aip, bi, bip = ctx.saved_tensors
        root = np.sqrt(np.maximum(z, 0))
        by_ai = grad_ai * (aip + root * ai) + grad_aip * (z * ai + root * aip)
        by_bi = grad_bi * (bip - root * bi) + grad_bip * (z * bi - root * bip)
        return by_ai + by_bi

    @staticmethod
    def jvp(ctx: Context, z_dot: Any) -> Any:
        z, ai, aip, bi, bip = ctx.saved_tensors
        root = np.sqrt(np.maximum(z, 0))
        ai_dot, aip_dot = z_dot * (aip + root * ai), z_dot * (z * ai + root * aip)
        return ai_dot, aip_dot, z_dot * (bip - root * bi), z_dot * (z * bi - root * bip)


@table.rule(special.kelvin)
class Kelvin(Function):
    """The functions of Kelvin, ber + i bei and ker + i kei, with derivatives; by DLMF 10.61.3."""

    @staticmethod
    def forward(ctx: Context, x: Any) -> Any:
        y = special.kelvin(x)
        ctx.save_for_backward(x, y[0], y[1], y[2], y[3])
        return y

    @staticmethod
    def backward(ctx: Context, grad_b: Any, grad_k: Any, grad_bp: Any, grad_kp: Any) -> Any:
        x, b, k, bp, kp = ctx.saved_tensors
        by_b = grad_b * conj(bp) + grad_bp * conj(1j * b - bp / x)
        by_k = grad_k * conj(kp) + grad_kp * conj(1j * k - kp / x)
        return real_part(by_b + by_k)

    @staticmethod
    def jvp(ctx: Context, x_dot: Any) -> Any:
        x, b, k, bp, kp = ctx.saved_tensors
        return x_dot * bp, x_dot * kp, x_dot * (1j * b - bp / x), x_dot * (1j * k - kp / x)


@table.rule(special.pbdv)
class Pbdv(Function):
    """Whittaker's D of order v and its derivative; by DLMF 12.2.4."""

    @staticmethod
    def forward(ctx: Context, v: Any, x: Any) -> Any:
        y = special.pbdv(v, x)
        ctx.shape = np.shape(x)
        ctx.save_for_backward(v, x, y[0], y[1])
        return y

    @staticmethod
    def backward(ctx: Context, grad_d: Any, grad_dp: Any) -> Any:
        v, x, d, dp = ctx.saved_tensors
        return None, unbroadcast(grad_d * dp + grad_dp * (x * x / 4 - v - 0.5) * d, ctx.shape)

    @staticmethod
    def jvp(ctx: Context, v_dot: Any, x_dot: Any) -> Any:
        v, x, d, dp = ctx.saved_tensors
        return cylinder_push((v_dot, x_dot), v, x, d, dp)


@table.rule(special.pbvv)
class Pbvv(Function):
    """The other parabolic cylinder function, V of order v, and its derivative; by DLMF 12.2.2."""

    @staticmethod
    def forward(ctx: Context, v: Any, x: Any) -> Any:
        y = special.pbvv(v, x)
        ctx.shape = np.shape(x)
        ctx.save_for_backward(v, x, y[0], y[1])
        return y

    @staticmethod
    def backward(ctx: Context, grad_d: Any, grad_dp: Any) -> Any:
        v, x, d, dp = ctx.saved_tensors
        return None, unbroadcast(grad_d * dp + grad_dp * (x * x / 4 - v - 0.5) * d, ctx.shape)

    @staticmethod
    def jvp(ctx: Context, v_dot: Any, x_dot: Any) -> Any:
        v, x, d, dp = ctx.saved_tensors
        return cylinder_push((v_dot, x_dot), v, x, d, dp)


@table.partials(special.wright_bessel)
def wright_bessel(a: Any, b: Any, x: Any) -> tuple[Any, ...]:
    """By its series (DLMF 10.46.1)."""
    return None, None, special.wright_bessel(a, a + b, x)


@table.partials(special.log_wright_bessel)
def log_wright_bessel(a: Any, b: Any, x: Any, *, out: Any) -> tuple[Any, ...]:
    return None, None, np.exp(special.log_wright_bessel(a, a + b, x) - out)


RULES = table.freeze()
