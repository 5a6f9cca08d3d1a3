"""Rules of statistics of samples in ``scipy.stats``."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import stats

from srcgrad.primitives.constants import STEPS
from srcgrad.rules.base import Context, Function
from srcgrad.rules.registry import RuleTable
from srcgrad.runtime import kept, reduced_size
from srcgrad.runtime.scipy.stats import entropy_back

table = RuleTable("sample_statistics", real=True)


@table.rule(stats.zscore)
class Zscore(Function):
    """What is left of a without its mean, measured by its standard deviation."""

    @staticmethod
    def forward(ctx: Context, a: Any, axis: Any = 0, ddof: int = 0) -> Any:
        y = stats.zscore(a, axis, ddof)
        ctx.axis, ctx.ddof = axis, ddof
        ctx.save_for_backward(a, y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        a, y = ctx.saved_tensors
        count = reduced_size(np.shape(a), ctx.axis) - ctx.ddof
        share = np.sum(grad * y, axis=ctx.axis, keepdims=True) / count
        centred = grad - np.mean(grad, axis=ctx.axis, keepdims=True)
        return (centred - y * share) / np.std(a, axis=ctx.axis, ddof=ctx.ddof, keepdims=True)

    @staticmethod
    def jvp(ctx: Context, a_dot: Any, *options: Any) -> Any:
        a, y = ctx.saved_tensors
        count = reduced_size(np.shape(a), ctx.axis) - ctx.ddof
        share = np.sum(a_dot * y, axis=ctx.axis, keepdims=True) / count
        centred = a_dot - np.mean(a_dot, axis=ctx.axis, keepdims=True)
        return (centred - y * share) / np.std(a, axis=ctx.axis, ddof=ctx.ddof, keepdims=True)


@table.rule(stats.gmean)
class Gmean(Function):
    """The geometric mean."""

    @staticmethod
    def forward(ctx: Context, a: Any, axis: Any = 0) -> Any:
        y = stats.gmean(a, axis)
        ctx.axis = axis
        ctx.save_for_backward(a, y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        a, y = ctx.saved_tensors
        return kept(grad * y, ctx.axis, False) / (a * reduced_size(np.shape(a), ctx.axis))

    @staticmethod
    def jvp(ctx: Context, a_dot: Any, *options: Any) -> Any:
        a, y = ctx.saved_tensors
        return y * np.mean(a_dot / a, axis=ctx.axis)


@table.rule(stats.hmean)
class Hmean(Function):
    """The harmonic mean."""

    @staticmethod
    def forward(ctx: Context, a: Any, axis: Any = 0) -> Any:
        y = stats.hmean(a, axis)
        ctx.axis = axis
        ctx.save_for_backward(a, y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        a, y = ctx.saved_tensors
        return kept(grad * y * y, ctx.axis, False) / (a * a * reduced_size(np.shape(a), ctx.axis))

    @staticmethod
    def jvp(ctx: Context, a_dot: Any, *options: Any) -> Any:
        a, y = ctx.saved_tensors
        return y * y * np.mean(a_dot / (a * a), axis=ctx.axis)


@table.rule(stats.sem)
class Sem(Function):
    """The standard error of the mean."""

    @staticmethod
    def forward(ctx: Context, a: Any, axis: Any = 0, ddof: int = 1) -> Any:
        y = stats.sem(a, axis, ddof)
        ctx.axis, ctx.ddof = axis, ddof
        ctx.save_for_backward(a, y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        a, y = ctx.saved_tensors
        count = reduced_size(np.shape(a), ctx.axis)
        centred = a - np.mean(a, axis=ctx.axis, keepdims=True)
        return kept(grad / y, ctx.axis, False) * centred / (count * (count - ctx.ddof))

    @staticmethod
    def jvp(ctx: Context, a_dot: Any, *options: Any) -> Any:
        a, y = ctx.saved_tensors
        count = reduced_size(np.shape(a), ctx.axis)
        centred = a - np.mean(a, axis=ctx.axis, keepdims=True)
        moved = np.sum(centred * a_dot, axis=ctx.axis)
        return moved / (y * count * (count - ctx.ddof))


@table.rule(stats.skew)
class Skew(Function):
    """The third moment over the cube of the standard deviation."""

    @staticmethod
    def forward(ctx: Context, a: Any, axis: Any = 0) -> Any:
        ctx.axis = axis
        ctx.save_for_backward(a)
        return stats.skew(a, axis)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (a,) = ctx.saved_tensors
        spread = np.std(a, axis=ctx.axis, keepdims=True)
        z = (a - np.mean(a, axis=ctx.axis, keepdims=True)) / spread
        cubes = np.mean(z**3, axis=ctx.axis, keepdims=True)
        slope = 3 * (z * z - 1 - cubes * z) / (spread * reduced_size(np.shape(a), ctx.axis))
        return kept(grad, ctx.axis, False) * slope


@table.rule(stats.kurtosis)
class Kurtosis(Function):
    """The fourth moment over the square of the variance; less 3 unless told otherwise."""

    @staticmethod
    def forward(ctx: Context, a: Any, axis: Any = 0, fisher: bool = True) -> Any:
        ctx.axis = axis
        ctx.save_for_backward(a)
        return stats.kurtosis(a, axis, fisher)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (a,) = ctx.saved_tensors
        spread = np.std(a, axis=ctx.axis, keepdims=True)
        z = (a - np.mean(a, axis=ctx.axis, keepdims=True)) / spread
        cubes = np.mean(z**3, axis=ctx.axis, keepdims=True)
        fourths = np.mean(z**4, axis=ctx.axis, keepdims=True)
        slope = 4 * (z**3 - cubes - fourths * z) / (spread * reduced_size(np.shape(a), ctx.axis))
        return kept(grad, ctx.axis, False) * slope


@table.rule(stats.entropy)
class Entropy(Function):
    """The entropy of shares, which are made to add up to 1; or what qk tells less than pk."""

    @staticmethod
    def forward(ctx: Context, pk: Any, qk: Any = None, base: Any = None, axis: int = 0) -> Any:
        y = stats.entropy(pk, qk, base, axis)
        ctx.base, ctx.axis = base, axis
        ctx.save_for_backward(pk, qk, y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        pk, qk, y = ctx.saved_tensors
        grad_pk, grad_qk = entropy_back(grad, (pk, qk, y), ctx.base, ctx.axis)
        return grad_pk, grad_qk


RULES = table.freeze()
CONSTANT = dict.fromkeys(
    (
        *(stats.rankdata, stats.spearmanr, stats.kendalltau, stats.weightedtau, stats.somersd),
        *(stats.mannwhitneyu, stats.wilcoxon, stats.ranksums, stats.kruskal, stats.ks_2samp),
        *(stats.friedmanchisquare, stats.brunnermunzel, stats.cramervonmises_2samp, stats.ansari),
        *(stats.mood, stats.median_test, stats.percentileofscore, stats.tiecorrect),
    ),
    STEPS,
)
"""What depends on the order of samples alone."""
