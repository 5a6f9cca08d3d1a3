"""Rules of the gamma, beta and zeta functions and their kin."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from srcgrad.rules.base import Context, Function
from srcgrad.rules.registry import RuleTable
from srcgrad.runtime import shortcut, unbroadcast
from srcgrad.runtime.scipy.curvatures import betainc_curve, betainc_twist, gammainc_curve
from srcgrad.runtime.scipy.parameters import betainc_slope, gammainc_slope
from srcgrad.runtime.scipy.special import comb_slopes

table = RuleTable("gamma_functions")


@table.slope(special.gamma)
def gamma(x: Any) -> Any:
    return special.gamma(x) * special.digamma(x)


@table.slope(special.gammaln)
def gammaln(x: Any) -> Any:
    return special.digamma(x)


@table.slope(special.loggamma)
def loggamma(x: Any) -> Any:
    return special.digamma(x)


@table.slope(special.rgamma)
def rgamma(x: Any) -> Any:
    return -special.rgamma(x) * special.digamma(x)


@table.slope(special.psi)
def digamma(x: Any) -> Any:
    return special.zeta(2, x)


@table.partials(special.polygamma)
def polygamma(n: Any, x: Any) -> tuple[Any, ...]:
    return None, special.polygamma(n + 1, x)


@table.partials(special.zeta)
def zeta(x: Any, q: Any = None) -> tuple[Any, ...]:
    return None, -x * special.zeta(x + 1, q)


@table.rule(special.multigammaln)
class Multigammaln(Function):
    """The logarithm of the multivariate gamma function."""

    @staticmethod
    def forward(ctx: Context, a: Any, d: Any) -> Any:
        ctx.d = d
        ctx.save_for_backward(a)
        return special.multigammaln(a, d)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (a,) = ctx.saved_tensors
        return grad * special.digamma(np.expand_dims(a, -1) - np.arange(ctx.d) / 2).sum(axis=-1)


@table.partials(special.poch)
def poch(z: Any, m: Any, *, out: Any) -> tuple[Any, ...]:
    shifted = special.digamma(z + m)
    return out * (shifted - special.digamma(z)), out * shifted


@table.partials(special.beta)
def beta(a: Any, b: Any, *, out: Any) -> tuple[Any, ...]:
    both = special.digamma(a + b)
    return out * (special.digamma(a) - both), out * (special.digamma(b) - both)


@table.partials(special.betaln)
def betaln(a: Any, b: Any) -> tuple[Any, ...]:
    both = special.digamma(a + b)
    return special.digamma(a) - both, special.digamma(b) - both


@table.partials(special.binom)
def binom(n: Any, k: Any, *, out: Any) -> tuple[Any, ...]:
    rest = special.digamma(n - k + 1)
    return (
        out * (special.digamma(n + 1) - rest),
        out * (rest - special.digamma(k + 1)),
    )


@table.rule(special.comb)
class Comb(Function):
    """The number of ways to choose k of N; also of real numbers."""

    elementwise = True

    @staticmethod
    def forward(
        ctx: Context, N: Any, k: Any, *, exact: bool = False, repetition: bool = False
    ) -> Any:
        y = special.comb(N, k, exact=exact, repetition=repetition)
        ctx.repetition = repetition
        ctx.save_for_backward(N, k, y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        N, k, y = ctx.saved_tensors
        if shortcut(not ctx.repetition):
            rest = special.digamma(N - k + 1)
            by_N = special.digamma(N + 1) - rest
            by_k = rest - special.digamma(k + 1)
        else:
            by_N, by_k = comb_slopes(N, k, ctx.repetition)
        grad_N = unbroadcast(grad * y * by_N, np.shape(N)) if ctx.needs_input_grad[0] else None
        grad_k = unbroadcast(grad * y * by_k, np.shape(k)) if ctx.needs_input_grad[1] else None
        return grad_N, grad_k


@table.partials(special.factorial)
def factorial(n: Any, exact: Any = False) -> tuple[Any, ...]:
    return np.where(n < 0, 0, special.gamma(n + 1) * special.digamma(n + 1)), None


# --- incomplete integrals: the derivative in a parameter of the integrand is one by quadrature ----


@table.partials(special.gammainc)
def gammainc(a: Any, x: Any) -> tuple[Any, ...]:
    return lambda: gammainc_slope(a, x), np.exp(special.xlogy(a - 1, x) - x - special.gammaln(a))


@table.partials(special.gammaincc)
def gammaincc(a: Any, x: Any) -> tuple[Any, ...]:
    return lambda: -gammainc_slope(a, x), -np.exp(special.xlogy(a - 1, x) - x - special.gammaln(a))


@table.partials(special.gammaincinv)
def gammaincinv(a: Any, y: Any, *, out: Any) -> tuple[Any, ...]:
    run = np.exp(out - special.xlogy(a - 1, out) + special.gammaln(a))
    return lambda: -gammainc_slope(a, out) * run, run


@table.partials(special.gammainccinv)
def gammainccinv(a: Any, y: Any, *, out: Any) -> tuple[Any, ...]:
    run = np.exp(out - special.xlogy(a - 1, out) + special.gammaln(a))
    return lambda: -gammainc_slope(a, out) * run, -run


@table.partials(special.betainc)
def betainc(a: Any, b: Any, x: Any) -> tuple[Any, ...]:
    density = np.exp(special.xlogy(a - 1, x) + special.xlog1py(b - 1, -x) - special.betaln(a, b))
    return lambda: betainc_slope(a, b, x), lambda: -betainc_slope(b, a, 1 - x), density


@table.partials(special.betaincc)
def betaincc(a: Any, b: Any, x: Any) -> tuple[Any, ...]:
    density = np.exp(special.xlogy(a - 1, x) + special.xlog1py(b - 1, -x) - special.betaln(a, b))
    return lambda: -betainc_slope(a, b, x), lambda: betainc_slope(b, a, 1 - x), -density


@table.partials(special.betaincinv)
def betaincinv(a: Any, b: Any, y: Any, *, out: Any) -> tuple[Any, ...]:
    density = np.exp(
        special.xlogy(a - 1, out) + special.xlog1py(b - 1, -out) - special.betaln(a, b)
    )
    return (
        lambda: -betainc_slope(a, b, out) / density,
        lambda: betainc_slope(b, a, 1 - out) / density,
        1 / density,
    )


@table.partials(special.betainccinv)
def betainccinv(a: Any, b: Any, y: Any, *, out: Any) -> tuple[Any, ...]:
    density = np.exp(
        special.xlogy(a - 1, out) + special.xlog1py(b - 1, -out) - special.betaln(a, b)
    )
    return (
        lambda: -betainc_slope(a, b, out) / density,
        lambda: betainc_slope(b, a, 1 - out) / density,
        -1 / density,
    )


@table.partials(gammainc_slope)
def gammainc_slopes(a: Any, x: Any) -> tuple[Any, ...]:
    density = np.exp(special.xlogy(a - 1, x) - x - special.gammaln(a))
    return lambda: gammainc_curve(a, x), density * (np.log(x) - special.digamma(a))


@table.partials(betainc_slope)
def betainc_slopes(a: Any, b: Any, x: Any) -> tuple[Any, ...]:
    density = np.exp(special.xlogy(a - 1, x) + special.xlog1py(b - 1, -x) - special.betaln(a, b))
    turn = np.log(x) - special.digamma(a) + special.digamma(a + b)
    return lambda: betainc_curve(a, b, x), lambda: betainc_twist(a, b, x), density * turn


@table.partials(gammainc_curve)
def gammainc_curves(a: Any, x: Any) -> tuple[Any, ...]:
    density = np.exp(special.xlogy(a - 1, x) - x - special.gammaln(a))
    turn = np.log(x) - special.digamma(a)
    return None, density * (turn * turn - special.zeta(2, a))


@table.partials(betainc_curve)
def betainc_curves(a: Any, b: Any, x: Any) -> tuple[Any, ...]:
    density = np.exp(special.xlogy(a - 1, x) + special.xlog1py(b - 1, -x) - special.betaln(a, b))
    turn = np.log(x) - special.digamma(a) + special.digamma(a + b)
    return None, None, density * (turn * turn - special.zeta(2, a) + special.zeta(2, a + b))


@table.partials(betainc_twist)
def betainc_twists(a: Any, b: Any, x: Any) -> tuple[Any, ...]:
    density = np.exp(special.xlogy(a - 1, x) + special.xlog1py(b - 1, -x) - special.betaln(a, b))
    both = special.digamma(a + b)
    turn_a = np.log(x) - special.digamma(a) + both
    turn_b = np.log1p(-x) - special.digamma(b) + both
    return None, None, density * (turn_a * turn_b + special.zeta(2, a + b))


RULES = table.freeze()
for _function in (gammainc_slope, betainc_slope, gammainc_curve, betainc_curve, betainc_twist):
    vars(_function)["__srcgrad_rule__"] = RULES[_function]
