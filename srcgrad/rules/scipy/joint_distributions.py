"""Rules of distributions of vectors."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special, stats

from srcgrad.rules.base import Context, Function
from srcgrad.rules.registry import RuleTable
from srcgrad.runtime.scipy.stats import multivariate_normal_back

table = RuleTable("joint_distributions", real=True)


@table.rule(stats.multivariate_normal.logpdf)
class MultivariateNormalLogpdf(Function):
    """The logarithm of the density of normal vectors."""

    @staticmethod
    def forward(
        ctx: Context, x: Any, mean: Any = None, cov: Any = 1, allow_singular: bool = False
    ) -> Any:
        ctx.save_for_backward(x, mean, cov)
        return stats.multivariate_normal.logpdf(x, mean, cov, allow_singular)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        x, mean, cov = ctx.saved_tensors
        grad_x, grad_mean, grad_cov = multivariate_normal_back(grad, x, mean, cov)
        return grad_x, grad_mean, grad_cov


@table.rule(stats.multivariate_normal.pdf)
class MultivariateNormalPdf(Function):
    """The density of normal vectors."""

    @staticmethod
    def forward(
        ctx: Context, x: Any, mean: Any = None, cov: Any = 1, allow_singular: bool = False
    ) -> Any:
        y = stats.multivariate_normal.pdf(x, mean, cov, allow_singular)
        ctx.save_for_backward(x, mean, cov, y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        x, mean, cov, y = ctx.saved_tensors
        grad_x, grad_mean, grad_cov = multivariate_normal_back(grad * y, x, mean, cov)
        return grad_x, grad_mean, grad_cov


@table.rule(stats.dirichlet.logpdf)
class DirichletLogpdf(Function):
    """The logarithm of the density of shares, which add up to 1: in the parameters alone."""

    @staticmethod
    def forward(ctx: Context, x: Any, alpha: Any) -> Any:
        ctx.save_for_backward(x, alpha)
        return stats.dirichlet.logpdf(x, alpha)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        x, alpha = ctx.saved_tensors
        slope = special.digamma(np.sum(alpha)) - special.digamma(alpha)
        grad_alpha = np.sum(grad * np.log(x), axis=tuple(range(1, np.ndim(x))))
        return None, grad_alpha + slope * np.sum(grad)


RULES = table.freeze()
