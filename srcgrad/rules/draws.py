"""Rules of random draws, by the numbers of a fixed distribution that they are made of.

A draw ``y = loc + scale * z`` has the derivative ``z = (y - loc) / scale`` in its scale: nothing is
drawn a second time. Distributions that are not made so from their parameters have no rule.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from srcgrad.rules.base import Context, Function
from srcgrad.rules.registry import RuleTable
from srcgrad.runtime import is_number, unbroadcast
from srcgrad.runtime.drawing import (
    draw_exponential,
    draw_gamma,
    draw_gumbel,
    draw_laplace,
    draw_logistic,
    draw_lognormal,
    draw_multivariate_normal,
    draw_normal,
    draw_pareto,
    draw_power,
    draw_rayleigh,
    draw_uniform,
    draw_weibull,
    multivariate_normal_push,
)

table = RuleTable("draws")


class _Shifted(Function):
    """y = loc + scale * z."""

    elementwise = True

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        loc, scale, y = ctx.saved_tensors
        grad_loc = unbroadcast(grad, ctx.loc_shape) if ctx.needs_input_grad[1] else None
        grad_scale = (
            unbroadcast(grad * (y - loc) / scale, ctx.scale_shape)
            if ctx.needs_input_grad[2]
            else None
        )
        return None, grad_loc, grad_scale


@table.rule(draw_normal)
class DrawNormal(_Shifted):
    """y = loc + scale * z of the normal distribution."""

    @staticmethod
    def forward(ctx: Context, rng: Any, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        y = draw_normal(rng, loc, scale, size)
        ctx.loc_shape, ctx.scale_shape = np.shape(loc), np.shape(scale)
        ctx.save_for_backward(loc, scale, y)
        return y


@table.rule(draw_laplace)
class DrawLaplace(_Shifted):
    """y = loc + scale * z of the Laplace distribution."""

    @staticmethod
    def forward(ctx: Context, rng: Any, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        y = draw_laplace(rng, loc, scale, size)
        ctx.loc_shape, ctx.scale_shape = np.shape(loc), np.shape(scale)
        ctx.save_for_backward(loc, scale, y)
        return y


@table.rule(draw_gumbel)
class DrawGumbel(_Shifted):
    """y = loc + scale * z of the Gumbel distribution."""

    @staticmethod
    def forward(ctx: Context, rng: Any, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        y = draw_gumbel(rng, loc, scale, size)
        ctx.loc_shape, ctx.scale_shape = np.shape(loc), np.shape(scale)
        ctx.save_for_backward(loc, scale, y)
        return y


@table.rule(draw_logistic)
class DrawLogistic(_Shifted):
    """y = loc + scale * z of the logistic distribution."""

    @staticmethod
    def forward(ctx: Context, rng: Any, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        y = draw_logistic(rng, loc, scale, size)
        ctx.loc_shape, ctx.scale_shape = np.shape(loc), np.shape(scale)
        ctx.save_for_backward(loc, scale, y)
        return y


@table.rule(draw_lognormal)
class DrawLognormal(Function):
    """y = exp(mean + sigma * z)."""

    elementwise = True

    @staticmethod
    def forward(ctx: Context, rng: Any, mean: Any = 0.0, sigma: Any = 1.0, size: Any = None) -> Any:
        y = draw_lognormal(rng, mean, sigma, size)
        ctx.mean_shape, ctx.sigma_shape = np.shape(mean), np.shape(sigma)
        ctx.save_for_backward(mean, sigma, y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        mean, sigma, y = ctx.saved_tensors
        grad_mean = unbroadcast(grad * y, ctx.mean_shape) if ctx.needs_input_grad[1] else None
        grad_sigma = (
            unbroadcast(grad * y * (np.log(y) - mean) / sigma, ctx.sigma_shape)
            if ctx.needs_input_grad[2]
            else None
        )
        return None, grad_mean, grad_sigma


@table.rule(draw_uniform)
class DrawUniform(Function):
    """y = low + (high - low) * z."""

    elementwise = True

    @staticmethod
    def forward(ctx: Context, rng: Any, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
        y = draw_uniform(rng, low, high, size)
        ctx.low_shape, ctx.high_shape = np.shape(low), np.shape(high)
        ctx.save_for_backward(low, high, y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        low, high, y = ctx.saved_tensors
        grad_low, grad_high = None, None
        if ctx.needs_input_grad[1]:
            grad_low = unbroadcast(grad * (high - y) / (high - low), ctx.low_shape)
        if ctx.needs_input_grad[2]:
            if is_number(low, 0):
                grad_high = unbroadcast(grad * y / high, ctx.high_shape)
            else:
                grad_high = unbroadcast(grad * (y - low) / (high - low), ctx.high_shape)
        return None, grad_low, grad_high


@table.rule(draw_exponential)
class DrawExponential(Function):
    """y = scale * z."""

    elementwise = True

    @staticmethod
    def forward(ctx: Context, rng: Any, scale: Any = 1.0, size: Any = None) -> Any:
        y = draw_exponential(rng, scale, size)
        ctx.shape = np.shape(scale)
        ctx.save_for_backward(scale, y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        scale, y = ctx.saved_tensors
        return None, unbroadcast(grad * y / scale, ctx.shape)


@table.rule(draw_rayleigh)
class DrawRayleigh(Function):
    """y = scale * z."""

    elementwise = True

    @staticmethod
    def forward(ctx: Context, rng: Any, scale: Any = 1.0, size: Any = None) -> Any:
        y = draw_rayleigh(rng, scale, size)
        ctx.shape = np.shape(scale)
        ctx.save_for_backward(scale, y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        scale, y = ctx.saved_tensors
        return None, unbroadcast(grad * y / scale, ctx.shape)


@table.rule(draw_gamma)
class DrawGamma(Function):
    """y = scale * z; how z depends on the shape has no closed form."""

    elementwise = True

    @staticmethod
    def forward(ctx: Context, rng: Any, shape: Any, scale: Any = 1.0, size: Any = None) -> Any:
        y = draw_gamma(rng, shape, scale, size)
        ctx.shape = np.shape(scale)
        ctx.save_for_backward(scale, y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        scale, y = ctx.saved_tensors
        grad_scale = unbroadcast(grad * y / scale, ctx.shape) if ctx.needs_input_grad[2] else None
        return None, None, grad_scale


@table.rule(draw_weibull)
class DrawWeibull(Function):
    """y = z ** (1 / a)."""

    elementwise = True

    @staticmethod
    def forward(ctx: Context, rng: Any, a: Any, size: Any = None) -> Any:
        y = draw_weibull(rng, a, size)
        ctx.shape = np.shape(a)
        ctx.save_for_backward(a, y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        a, y = ctx.saved_tensors
        return None, unbroadcast(-grad * y * np.log(y) / a, ctx.shape)


@table.rule(draw_power)
class DrawPower(Function):
    """y = z ** (1 / a)."""

    elementwise = True

    @staticmethod
    def forward(ctx: Context, rng: Any, a: Any, size: Any = None) -> Any:
        y = draw_power(rng, a, size)
        ctx.shape = np.shape(a)
        ctx.save_for_backward(a, y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        a, y = ctx.saved_tensors
        return None, unbroadcast(-grad * y * np.log(y) / a, ctx.shape)


@table.rule(draw_pareto)
class DrawPareto(Function):
    """y = exp(z / a) - 1."""

    elementwise = True

    @staticmethod
    def forward(ctx: Context, rng: Any, a: Any, size: Any = None) -> Any:
        y = draw_pareto(rng, a, size)
        ctx.shape = np.shape(a)
        ctx.save_for_backward(a, y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        a, y = ctx.saved_tensors
        return None, unbroadcast(-grad * (1 + y) * np.log1p(y) / a, ctx.shape)


@table.rule(draw_multivariate_normal)
class DrawMultivariateNormal(Function):
    """y = mean + z; how z depends on the covariance is up to NumPy's factorisation."""

    @staticmethod
    def forward(ctx: Context, rng: Any, mean: Any, cov: Any, size: Any = None) -> Any:
        y = draw_multivariate_normal(rng, mean, cov, size)
        ctx.shape, ctx.whole = np.shape(mean), np.shape(y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        grad_mean = unbroadcast(grad, ctx.shape) if ctx.needs_input_grad[1] else None
        return None, grad_mean

    @staticmethod
    def jvp(ctx: Context, rng: Any, mean_dot: Any, cov_dot: Any, size: Any) -> Any:
        return multivariate_normal_push(mean_dot, cov_dot, ctx.whole)


RULES = table.freeze()

DRAWS: Final[Mapping[str, Callable[..., Any]]] = MappingProxyType(
    {primal.__name__.removeprefix("draw_"): primal for primal in RULES}
)
"""The functions that stand for methods of random generators, by the names of those."""
