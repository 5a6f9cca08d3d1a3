"""Rules of the error function, the logistic function, and of integrals of exponentials."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special

from srcgrad.rules.base import Context, Function
from srcgrad.rules.registry import RuleTable
from srcgrad.runtime import conj

table = RuleTable("error_functions")


@table.slope(special.erf)
def erf(x: Any) -> Any:
    return 2 / math.sqrt(math.pi) * np.exp(-x * x)


@table.slope(special.erfc)
def erfc(x: Any) -> Any:
    return -2 / math.sqrt(math.pi) * np.exp(-x * x)


@table.partials(special.erfcx)
def erfcx(x: Any, *, out: Any) -> tuple[Any, ...]:
    return (2 * x * out - 2 / math.sqrt(math.pi),)


@table.slope(special.erfi)
def erfi(x: Any) -> Any:
    return 2 / math.sqrt(math.pi) * np.exp(x * x)


@table.slope(special.erfinv)
def erfinv(y: Any) -> Any:
    return math.sqrt(math.pi) / 2 * np.exp(y * y)


@table.slope(special.erfcinv)
def erfcinv(y: Any) -> Any:
    return -math.sqrt(math.pi) / 2 * np.exp(y * y)


@table.partials(special.dawsn)
def dawsn(x: Any, *, out: Any) -> tuple[Any, ...]:
    return (1 - 2 * x * out,)


@table.partials(special.wofz)
def wofz(z: Any, *, out: Any) -> tuple[Any, ...]:
    return (2j / math.sqrt(math.pi) - 2 * z * out,)


@table.partials(special.voigt_profile)
def voigt_profile(x: Any, sigma: Any, gamma: Any, *, out: Any) -> tuple[Any, ...]:
    width = math.sqrt(2) * sigma
    z = (x + 1j * gamma) / width
    slope = (2j / math.sqrt(math.pi) - 2 * z * special.wofz(z)) / (math.sqrt(math.pi) * width)
    by_z = slope / width
    return np.real(by_z), -(out + np.real(by_z * z * width)) / sigma, -np.imag(by_z)


@table.slope(special.expit)
def expit(y: Any) -> Any:
    return y * (1 - y)


@table.slope(special.logit)
def logit(x: Any) -> Any:
    return 1 / (x * (1 - x))


@table.slope(special.log_expit)
def log_expit(x: Any) -> Any:
    return special.expit(-x)


@table.slope(special.ndtr)
def ndtr(x: Any) -> Any:
    return np.exp(-x * x / 2) / math.sqrt(2 * math.pi)


@table.partials(special.log_ndtr)
def log_ndtr(x: Any, *, out: Any) -> tuple[Any, ...]:
    return (np.exp(-x * x / 2 - out) / math.sqrt(2 * math.pi),)


@table.slope(special.ndtri)
def ndtri(y: Any) -> Any:
    return math.sqrt(2 * math.pi) * np.exp(y * y / 2)


@table.partials(special.ndtri_exp)
def ndtri_exp(y: Any, *, out: Any) -> tuple[Any, ...]:
    return (math.sqrt(2 * math.pi) * np.exp(out * out / 2 + y),)


@table.slope(special.exprel)
def exprel(x: Any) -> Any:
    return special.hyp1f1(2, 3, x) / 2


@table.slope(special.expi)
def expi(x: Any) -> Any:
    return np.exp(x) / x


@table.slope(special.exp1)
def exp1(x: Any) -> Any:
    return -np.exp(-x) / x


@table.partials(special.expn)
def expn(n: Any, x: Any) -> tuple[Any, ...]:
    lower = special.expn(np.maximum(n - 1, 0), x)
    return None, -np.where(n == 0, np.exp(-x) * (1 + x) / (x * x), lower)


@table.slope(special.spence)
def spence(x: Any) -> Any:
    away = x - 1
    flat = np.abs(away) < 1e-3
    series = away * (away * (away * (away / 5 - 0.25) + 1 / 3) - 0.5) + 1  # of log(x) / away
    return -np.where(flat, series, np.log(x) / np.where(flat, 1, away))


@table.rule(special.fresnel)
class Fresnel(Function):
    """The integrals of sin(pi x**2 / 2) and of cos(pi x**2 / 2)."""

    @staticmethod
    def forward(ctx: Context, x: Any) -> Any:
        ctx.save_for_backward(x)
        return special.fresnel(x)

    @staticmethod
    def backward(ctx: Context, grad_sine: Any, grad_cosine: Any) -> Any:
        (x,) = ctx.saved_tensors
        angle = math.pi / 2 * x * x
        return grad_sine * conj(np.sin(angle)) + grad_cosine * conj(np.cos(angle))

    @staticmethod
    def jvp(ctx: Context, x_dot: Any) -> Any:
        (x,) = ctx.saved_tensors
        angle = math.pi / 2 * x * x
        return x_dot * np.sin(angle), x_dot * np.cos(angle)


@table.rule(special.sici)
class Sici(Function):
    """The integrals of sin(x) / x and of cos(x) / x."""

    @staticmethod
    def forward(ctx: Context, x: Any) -> Any:
        ctx.save_for_backward(x)
        return special.sici(x)

    @staticmethod
    def backward(ctx: Context, grad_sine: Any, grad_cosine: Any) -> Any:
        (x,) = ctx.saved_tensors
        return grad_sine * conj(np.sinc(x / math.pi)) + grad_cosine * conj(np.cos(x) / x)

    @staticmethod
    def jvp(ctx: Context, x_dot: Any) -> Any:
        (x,) = ctx.saved_tensors
        return x_dot * np.sinc(x / math.pi), x_dot * np.cos(x) / x


@table.rule(special.shichi)
class Shichi(Function):
    """The integrals of sinh(x) / x and of cosh(x) / x."""

    @staticmethod
    def forward(ctx: Context, x: Any) -> Any:
        ctx.save_for_backward(x)
        return special.shichi(x)

    @staticmethod
    def backward(ctx: Context, grad_sine: Any, grad_cosine: Any) -> Any:
        (x,) = ctx.saved_tensors
        return grad_sine * conj(np.sinh(x) / x) + grad_cosine * conj(np.cosh(x) / x)

    @staticmethod
    def jvp(ctx: Context, x_dot: Any) -> Any:
        (x,) = ctx.saved_tensors
        return x_dot * np.sinh(x) / x, x_dot * np.cosh(x) / x


RULES = table.freeze()
