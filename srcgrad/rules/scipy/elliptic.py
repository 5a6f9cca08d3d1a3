"""Rules of elliptic integrals and functions, means, and hypergeometric functions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special

from srcgrad.rules.base import Context, Function
from srcgrad.rules.registry import RuleTable
from srcgrad.runtime import unbroadcast
from srcgrad.runtime.scipy.carlson import carlson
from srcgrad.runtime.scipy.special import amplitude_slope, ellipj_push

table = RuleTable("elliptic")


@table.slope(special.ellipk)
def ellipk(x: Any) -> Any:
    return special.elliprd(0, 1, 1 - x) / 6


@table.slope(special.ellipkm1)
def ellipkm1(x: Any) -> Any:
    return -special.elliprd(0, 1, x) / 6


@table.slope(special.ellipe)
def ellipe(x: Any) -> Any:
    return -special.elliprd(0, 1 - x, 1) / 6


@table.partials(special.ellipkinc)
def ellipkinc(phi: Any, m: Any) -> tuple[Any, ...]:
    """By Carlson's integrals (DLMF 19.25.5 and 19.25.13), phi without the half turns in it."""
    turns = np.round(phi / math.pi)
    sine = np.sin(phi - math.pi * turns)
    rest = 1 - m * sine * sine
    by_m = sine**3 * special.elliprd(np.cos(phi) ** 2, 1, rest) / 6
    whole = special.elliprd(0, 1, np.where(turns == 0, 1, 1 - m)) / 3
    return 1 / np.sqrt(rest), by_m + turns * whole


@table.partials(special.ellipeinc)
def ellipeinc(phi: Any, m: Any) -> tuple[Any, ...]:
    turns = np.round(phi / math.pi)
    sine = np.sin(phi - math.pi * turns)
    rest = 1 - m * sine * sine
    by_m = -(sine**3) * special.elliprd(np.cos(phi) ** 2, rest, 1) / 6
    whole = special.elliprd(0, np.where(turns == 0, 1, 1 - m), 1) / 3
    return np.sqrt(rest), by_m - turns * whole


@table.rule(special.ellipj)
class Ellipj(Function):
    """The elliptic functions sn, cn, dn of Jacobi, and the amplitude, of which they are made."""

    @staticmethod
    def forward(ctx: Context, u: Any, m: Any) -> Any:
        y = special.ellipj(u, m)
        ctx.shapes = np.shape(u), np.shape(m)
        ctx.save_for_backward(m, y[0], y[1], y[2], y[3])
        return y

    @staticmethod
    def backward(ctx: Context, grad_sn: Any, grad_cn: Any, grad_dn: Any, grad_ph: Any) -> Any:
        m, sn, cn, dn, ph = ctx.saved_tensors
        turn = grad_sn * cn - grad_cn * sn + grad_ph - grad_dn * m * sn * cn / dn
        grad_u, grad_m = None, None
        if ctx.needs_input_grad[0]:
            grad_u = unbroadcast(turn * dn, ctx.shapes[0])
        if ctx.needs_input_grad[1]:
            by_m = turn * amplitude_slope(m, cn, dn, ph) - grad_dn * sn * sn / (2 * dn)
            grad_m = unbroadcast(by_m, ctx.shapes[1])
        return grad_u, grad_m

    @staticmethod
    def jvp(ctx: Context, u_dot: Any, m_dot: Any) -> Any:
        m, sn, cn, dn, ph = ctx.saved_tensors
        return ellipj_push((u_dot, m_dot), m, (sn, cn, dn, ph))


@table.partials(special.elliprf)
def elliprf(x: Any, y: Any, z: Any) -> tuple[Any, ...]:
    return (
        -special.elliprd(y, z, x) / 6,
        -special.elliprd(x, z, y) / 6,
        -special.elliprd(x, y, z) / 6,
    )


@table.partials(special.elliprd)
def elliprd(x: Any, y: Any, z: Any) -> tuple[Any, ...]:
    """By the integral that defines it (DLMF 19.16.5), differentiated below the integral."""
    return (
        lambda: -0.75 * carlson(1.5, 0.5, 1.5, x, y, z),
        lambda: -0.75 * carlson(0.5, 1.5, 1.5, x, y, z),
        lambda: -2.25 * carlson(0.5, 0.5, 2.5, x, y, z),
    )


@table.partials(special.elliprg)
def elliprg(x: Any, y: Any, z: Any) -> tuple[Any, ...]:
    """By the integral of t**(a' - 1) that R_G is (DLMF 19.16.9, a = -1/2), its t as (t + x) - x."""
    whole = special.elliprf(x, y, z)
    return (
        (whole - x * special.elliprd(y, z, x) / 3) / 4,
        (whole - y * special.elliprd(x, z, y) / 3) / 4,
        (whole - z * special.elliprd(x, y, z) / 3) / 4,
    )


@table.partials(special.elliprc)
def elliprc(x: Any, y: Any) -> tuple[Any, ...]:
    """R_C(x, y) is R_F(x, y, y) (DLMF 19.16.6)."""
    return -special.elliprd(y, y, x) / 6, -special.elliprd(x, y, y) / 3


@table.partials(special.elliprj)
def elliprj(x: Any, y: Any, z: Any, p: Any) -> tuple[Any, ...]:
    """By the integral that defines it (DLMF 19.16.2); NaN at p < 0, a principal value."""
    return (
        lambda: -0.75 * carlson(1.5, 0.5, 0.5, x, y, z, 1, p),
        lambda: -0.75 * carlson(0.5, 1.5, 0.5, x, y, z, 1, p),
        lambda: -0.75 * carlson(0.5, 0.5, 1.5, x, y, z, 1, p),
        lambda: -1.5 * carlson(0.5, 0.5, 0.5, x, y, z, 2, p),
    )


@table.partials(carlson)
def carlson_slopes(
    i: Any, j: Any, k: Any, x: Any, y: Any, z: Any, m: Any = 0, p: Any = 1.0
) -> tuple[Any, ...]:
    return (
        None,
        None,
        None,
        lambda: -i * carlson(i + 1, j, k, x, y, z, m, p),
        lambda: -j * carlson(i, j + 1, k, x, y, z, m, p),
        lambda: -k * carlson(i, j, k + 1, x, y, z, m, p),
        None,
        lambda: -m * carlson(i, j, k, x, y, z, m + 1, p),
    )


@table.partials(special.agm)
def agm(a: Any, b: Any, *, out: Any) -> tuple[Any, ...]:
    factor = 2 / (3 * math.pi) * out * np.abs(out)  # two negative numbers have a negative mean
    return (
        factor * a * special.elliprd(0, b * b, a * a),
        factor * b * special.elliprd(0, a * a, b * b),
    )


@table.partials(special.hyp2f1)
def hyp2f1(a: Any, b: Any, c: Any, z: Any) -> tuple[Any, ...]:
    return None, None, None, a * b / c * special.hyp2f1(a + 1, b + 1, c + 1, z)


@table.partials(special.hyp1f1)
def hyp1f1(a: Any, b: Any, x: Any) -> tuple[Any, ...]:
    return None, None, a / b * special.hyp1f1(a + 1, b + 1, x)


@table.partials(special.hyp0f1)
def hyp0f1(v: Any, z: Any) -> tuple[Any, ...]:
    return None, special.hyp0f1(v + 1, z) / v


@table.partials(special.hyperu)
def hyperu(a: Any, b: Any, x: Any) -> tuple[Any, ...]:
    return None, None, -a * special.hyperu(a + 1, b + 1, x)


@table.partials(special.lambertw)
def lambertw(z: Any, k: Any = 0, tol: Any = 1e-8, *, out: Any) -> tuple[Any, ...]:
    return np.exp(-out) / (1 + out), None, None


@table.slope(special.wrightomega)
def wrightomega(y: Any) -> Any:
    return y / (1 + y)


RULES = table.freeze()
vars(carlson)["__srcgrad_rule__"] = RULES[carlson]
