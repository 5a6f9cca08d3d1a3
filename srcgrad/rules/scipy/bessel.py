"""Rules of the functions of Bessel, Airy, Struve and Kelvin."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special

from srcgrad.rules.base import Context, Function
from srcgrad.rules.registry import RuleTable
from srcgrad.runtime import bessel_ratio, conj, unbroadcast
from srcgrad.runtime.scipy.orders import (
    iv_slope,
    ive_slope,
    jv_slope,
    kv_slope,
    kve_slope,
    yv_slope,
)

table = RuleTable("bessel")


@table.slope(special.j0)
def j0(x: Any) -> Any:
    return -special.j1(x)


@table.partials(special.j1)
def j1(x: Any, *, out: Any) -> tuple[Any, ...]:
    return (special.j0(x) - bessel_ratio(out, x),)


@table.slope(special.y0)
def y0(x: Any) -> Any:
    return -special.y1(x)


@table.partials(special.y1)
def y1(x: Any, *, out: Any) -> tuple[Any, ...]:
    return (special.y0(x) - out / x,)


@table.slope(special.i0)
def i0(x: Any) -> Any:
    return special.i1(x)


@table.partials(special.i1)
def i1(x: Any, *, out: Any) -> tuple[Any, ...]:
    return (special.i0(x) - bessel_ratio(out, x),)


@table.slope(special.i0e)
def i0e(x: Any) -> Any:
    return special.i1e(x) - np.sign(x) * special.i0e(x)


@table.partials(special.i1e)
def i1e(x: Any, *, out: Any) -> tuple[Any, ...]:
    return (special.i0e(x) - bessel_ratio(out, x) - np.sign(x) * out,)


@table.slope(special.k0)
def k0(x: Any) -> Any:
    return -special.k1(x)


@table.partials(special.k1)
def k1(x: Any, *, out: Any) -> tuple[Any, ...]:
    return (-special.k0(x) - out / x,)


@table.slope(special.k0e)
def k0e(x: Any) -> Any:
    return special.k0e(x) - special.k1e(x)


@table.partials(special.k1e)
def k1e(x: Any, *, out: Any) -> tuple[Any, ...]:
    return (out - special.k0e(x) - out / x,)


@table.partials(special.jv)
def jv(v: Any, z: Any) -> tuple[Any, ...]:
    return lambda: jv_slope(v, z), (special.jv(v - 1, z) - special.jv(v + 1, z)) / 2


@table.partials(special.yv)
def yv(v: Any, z: Any) -> tuple[Any, ...]:
    return lambda: yv_slope(v, z), (special.yv(v - 1, z) - special.yv(v + 1, z)) / 2


@table.partials(special.yn)
def yn(n: Any, x: Any) -> tuple[Any, ...]:
    return None, (special.yn(n - 1, x) - special.yn(n + 1, x)) / 2


@table.partials(special.iv)
def iv(v: Any, z: Any) -> tuple[Any, ...]:
    return lambda: iv_slope(v, z), (special.iv(v - 1, z) + special.iv(v + 1, z)) / 2


@table.partials(special.kv)
def kv(v: Any, z: Any) -> tuple[Any, ...]:
    return lambda: kv_slope(v, z), -(special.kv(v - 1, z) + special.kv(v + 1, z)) / 2


@table.partials(special.kn)
def kn(n: Any, x: Any) -> tuple[Any, ...]:
    return None, -(special.kn(n - 1, x) + special.kn(n + 1, x)) / 2


@table.partials(special.ive)
def ive(v: Any, z: Any, *, out: Any) -> tuple[Any, ...]:
    sign = np.copysign(1, z)  # of real numbers only: of others, this function has no derivative
    return lambda: ive_slope(v, z), (special.ive(v - 1, z) + special.ive(v + 1, z)) / 2 - sign * out


@table.partials(special.kve)
def kve(v: Any, z: Any, *, out: Any) -> tuple[Any, ...]:
    return lambda: kve_slope(v, z), out - (special.kve(v - 1, z) + special.kve(v + 1, z)) / 2


@table.partials(special.hankel1)
def hankel1(v: Any, z: Any) -> tuple[Any, ...]:
    return lambda: jv_slope(v, z) + 1j * yv_slope(v, z), (
        special.hankel1(v - 1, z) - special.hankel1(v + 1, z)
    ) / 2


@table.partials(special.hankel2)
def hankel2(v: Any, z: Any) -> tuple[Any, ...]:
    return lambda: jv_slope(v, z) - 1j * yv_slope(v, z), (
        special.hankel2(v - 1, z) - special.hankel2(v + 1, z)
    ) / 2


@table.partials(special.hankel1e)
def hankel1e(v: Any, z: Any, *, out: Any) -> tuple[Any, ...]:
    return None, (special.hankel1e(v - 1, z) - special.hankel1e(v + 1, z)) / 2 - 1j * out


@table.partials(special.hankel2e)
def hankel2e(v: Any, z: Any, *, out: Any) -> tuple[Any, ...]:
    return None, (special.hankel2e(v - 1, z) - special.hankel2e(v + 1, z)) / 2 + 1j * out


@table.partials(special.struve)
def struve(v: Any, x: Any) -> tuple[Any, ...]:
    power = (x / 2) ** v / (math.sqrt(math.pi) * special.gamma(v + 1.5))
    return None, (special.struve(v - 1, x) - special.struve(v + 1, x) + power) / 2


@table.partials(special.modstruve)
def modstruve(v: Any, x: Any) -> tuple[Any, ...]:
    power = (x / 2) ** v / (math.sqrt(math.pi) * special.gamma(v + 1.5))
    return None, (special.modstruve(v - 1, x) + special.modstruve(v + 1, x) + power) / 2


# --- spherical functions, whose derivatives are made of neighbours (DLMF 10.51.2 and 10.51.5) -----


@table.rule(special.spherical_jn)
class SphericalJn(Function):
    """The spherical Bessel function j, or its derivative."""

    elementwise = True

    @staticmethod
    def forward(ctx: Context, n: Any, z: Any, derivative: Any = False) -> Any:
        ctx.shape, ctx.derivative = np.shape(z), derivative
        ctx.save_for_backward(n, z)
        return special.spherical_jn(n, z, derivative)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        n, z = ctx.saved_tensors
        if ctx.derivative:
            below = special.spherical_jn(np.maximum(n - 1, 0), z, True)
            above = special.spherical_jn(n + 1, z, True)
            slope = (n * below - (n + 1) * above) / (2 * n + 1)
        else:
            slope = special.spherical_jn(n, z, True)
        return None, unbroadcast(grad * conj(slope), ctx.shape)


@table.rule(special.spherical_yn)
class SphericalYn(Function):
    """The spherical Bessel function y, or its derivative."""

    elementwise = True

    @staticmethod
    def forward(ctx: Context, n: Any, z: Any, derivative: Any = False) -> Any:
        ctx.shape, ctx.derivative = np.shape(z), derivative
        ctx.save_for_backward(n, z)
        return special.spherical_yn(n, z, derivative)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        n, z = ctx.saved_tensors
        if ctx.derivative:
            below = special.spherical_yn(np.maximum(n - 1, 0), z, True)
            above = special.spherical_yn(n + 1, z, True)
            slope = (n * below - (n + 1) * above) / (2 * n + 1)
        else:
            slope = special.spherical_yn(n, z, True)
        return None, unbroadcast(grad * conj(slope), ctx.shape)


@table.rule(special.spherical_in)
class SphericalIn(Function):
    """The modified spherical Bessel function i, or its derivative."""

    elementwise = True

    @staticmethod
    def forward(ctx: Context, n: Any, z: Any, derivative: Any = False) -> Any:
        ctx.shape, ctx.derivative = np.shape(z), derivative
        ctx.save_for_backward(n, z)
        return special.spherical_in(n, z, derivative)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        n, z = ctx.saved_tensors
        if ctx.derivative:
            below = special.spherical_in(np.maximum(n - 1, 0), z, True)
            above = special.spherical_in(n + 1, z, True)
            slope = (n * below + (n + 1) * above) / (2 * n + 1)
        else:
            slope = special.spherical_in(n, z, True)
        return None, unbroadcast(grad * conj(slope), ctx.shape)


@table.rule(special.spherical_kn)
class SphericalKn(Function):
    """The modified spherical Bessel function k, or its derivative."""

    elementwise = True

    @staticmethod
    def forward(ctx: Context, n: Any, z: Any, derivative: Any = False) -> Any:
        ctx.shape, ctx.derivative = np.shape(z), derivative
        ctx.save_for_backward(n, z)
        return special.spherical_kn(n, z, derivative)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        n, z = ctx.saved_tensors
        if ctx.derivative:
            below = special.spherical_kn(np.maximum(n - 1, 0), z, True)
            above = special.spherical_kn(n + 1, z, True)
            slope = -(n * below + (n + 1) * above) / (2 * n + 1)
        else:
            slope = special.spherical_kn(n, z, True)
        return None, unbroadcast(grad * conj(slope), ctx.shape)


@table.partials(special.jvp)
def jvp(v: Any, z: Any, n: Any = 1) -> tuple[Any, ...]:
    return None, special.jvp(v, z, n + 1), None


@table.partials(special.yvp)
def yvp(v: Any, z: Any, n: Any = 1) -> tuple[Any, ...]:
    return None, special.yvp(v, z, n + 1), None


@table.partials(special.ivp)
def ivp(v: Any, z: Any, n: Any = 1) -> tuple[Any, ...]:
    return None, special.ivp(v, z, n + 1), None


@table.partials(special.kvp)
def kvp(v: Any, z: Any, n: Any = 1) -> tuple[Any, ...]:
    return None, special.kvp(v, z, n + 1), None


@table.partials(special.h1vp)
def h1vp(v: Any, z: Any, n: Any = 1) -> tuple[Any, ...]:
    return None, special.h1vp(v, z, n + 1), None


@table.partials(special.h2vp)
def h2vp(v: Any, z: Any, n: Any = 1) -> tuple[Any, ...]:
    return None, special.h2vp(v, z, n + 1), None


@table.slope(special.ber)
def ber(x: Any) -> Any:
    return special.berp(x)


@table.slope(special.bei)
def bei(x: Any) -> Any:
    return special.beip(x)


@table.slope(special.ker)
def ker(x: Any) -> Any:
    return special.kerp(x)


@table.slope(special.kei)
def kei(x: Any) -> Any:
    return special.keip(x)


@table.slope(special.berp)  # by the equation of Kelvin's functions
def berp(x: Any) -> Any:
    return -special.bei(x) - special.berp(x) / x


@table.slope(special.beip)
def beip(x: Any) -> Any:
    return special.ber(x) - special.beip(x) / x


@table.slope(special.kerp)
def kerp(x: Any) -> Any:
    return -special.kei(x) - special.kerp(x) / x


@table.slope(special.keip)
def keip(x: Any) -> Any:
    return special.ker(x) - special.keip(x) / x


@table.rule(special.airy)
class Airy(Function):
    """The functions Ai and Bi of Airy, each with its derivative."""

    @staticmethod
    def forward(ctx: Context, z: Any) -> Any:
        y = special.airy(z)
        ctx.save_for_backward(z, y[0], y[1], y[2], y[3])
        return y

    @staticmethod
    def backward(ctx: Context, grad_ai: Any, grad_aip: Any, grad_bi: Any, grad_bip: Any) -> Any:
        z, ai, aip, bi, bip = ctx.saved_tensors
        by_ai = grad_ai * conj(aip) + grad_aip * conj(z * ai)
        by_bi = grad_bi * conj(bip) + grad_bip * conj(z * bi)
        return by_ai + by_bi

    @staticmethod
    def jvp(ctx: Context, z_dot: Any) -> Any:
        z, ai, aip, bi, bip = ctx.saved_tensors
        return z_dot * aip, z_dot * z * ai, z_dot * bip, z_dot * z * bi


# --- in the order ---------------------------------------------------------------------------------


@table.partials(jv_slope)
def jv_slopes(v: Any, z: Any) -> tuple[Any, ...]:
    return None, (jv_slope(v - 1, z) - jv_slope(v + 1, z)) / 2


@table.partials(yv_slope)
def yv_slopes(v: Any, z: Any) -> tuple[Any, ...]:
    return None, (yv_slope(v - 1, z) - yv_slope(v + 1, z)) / 2


@table.partials(iv_slope)
def iv_slopes(v: Any, z: Any) -> tuple[Any, ...]:
    return None, (iv_slope(v - 1, z) + iv_slope(v + 1, z)) / 2


@table.partials(kv_slope)
def kv_slopes(v: Any, z: Any) -> tuple[Any, ...]:
    return None, -(kv_slope(v - 1, z) + kv_slope(v + 1, z)) / 2


@table.partials(ive_slope)
def ive_slopes(v: Any, z: Any, *, out: Any) -> tuple[Any, ...]:
    return None, (ive_slope(v - 1, z) + ive_slope(v + 1, z)) / 2 - out


@table.partials(kve_slope)
def kve_slopes(v: Any, z: Any, *, out: Any) -> tuple[Any, ...]:
    return None, out - (kve_slope(v - 1, z) + kve_slope(v + 1, z)) / 2


RULES = table.freeze()
for _function in (jv_slope, yv_slope, iv_slope, kv_slope, ive_slope, kve_slope):
    vars(_function)["__srcgrad_rule__"] = RULES[_function]
