"""Rules of elliptic integrals and functions, means, and hypergeometric functions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special

from srcgrad.rules.base import Context, Function
from srcgrad.rules.registry import RuleTable
from srcgrad.runtime import unbroadcast

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
def ellipkinc(phi: Any, m: Any, *, out: Any) -> tuple[Any, ...]:
    root = np.sqrt(1 - m * np.sin(phi) ** 2)
    zero = m == 0
    safe = np.where(zero, 1, m)
    missing = (special.ellipeinc(phi, m) - (1 - m) * out) / safe
    sine = np.sin(2 * phi)
    by_m = (missing - sine / (2 * root)) / (2 * (1 - m))
    return 1 / root, np.where(zero, phi / 4 - sine / 8, by_m)


@table.partials(special.ellipeinc)
def ellipeinc(phi: Any, m: Any, *, out: Any) -> tuple[Any, ...]:
    zero = m == 0
    by_m = (out - special.ellipkinc(phi, m)) / (2 * np.where(zero, 1, m))
    return np.sqrt(1 - m * np.sin(phi) ** 2), np.where(zero, np.sin(2 * phi) / 8 - phi / 4, by_m)


@table.rule(special.ellipj)
class Ellipj(Function):
    """The elliptic functions sn, cn, dn of Jacobi, and the amplitude."""

    @staticmethod
    def forward(ctx: Context, u: Any, m: Any) -> Any:
        y = special.ellipj(u, m)
        ctx.shape = np.shape(u)
        ctx.save_for_backward(m, y[0], y[1], y[2])
        return y

    @staticmethod
    def backward(ctx: Context, grad_sn: Any, grad_cn: Any, grad_dn: Any, grad_ph: Any) -> Any:
        m, sn, cn, dn = ctx.saved_tensors
        grad_u = (grad_sn * cn - grad_cn * sn + grad_ph) * dn - grad_dn * m * sn * cn
        return unbroadcast(grad_u, ctx.shape), None


@table.partials(special.elliprf)
def elliprf(x: Any, y: Any, z: Any) -> tuple[Any, ...]:
    return (
        -special.elliprd(y, z, x) / 6,
        -special.elliprd(x, z, y) / 6,
        -special.elliprd(x, y, z) / 6,
    )


@table.partials(special.agm)
def agm(a: Any, b: Any, *, out: Any) -> tuple[Any, ...]:
    factor = 2 / (3 * math.pi) * out * out
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
