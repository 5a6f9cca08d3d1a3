"""Rules of distances in ``scipy.spatial.distance``."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial import distance

from srcgrad.primitives.constants import STEPS
from srcgrad.rules.base import Context, Function
from srcgrad.rules.registry import RuleTable
from srcgrad.runtime import conj, divide_or_zero, real_part
from srcgrad.runtime.scipy.spatial import (
    as_vector_back,
    cdist_back,
    cdist_push,
    distance_push,
    pdist_back,
    pdist_push,
)

table = RuleTable("distances")


@table.rule(distance.cdist)
class Cdist(Function):
    """The distances between two sets of points."""

    holomorphic = False

    @staticmethod
    def forward(ctx: Context, XA: Any, XB: Any, metric: Any = "euclidean") -> Any:
        y = distance.cdist(XA, XB, metric)
        ctx.metric = metric
        ctx.save_for_backward(XA, XB, y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        XA, XB, y = ctx.saved_tensors
        grad_a, grad_b = cdist_back(grad, XA, XB, y, ctx.metric)
        return grad_a, grad_b

    @staticmethod
    def jvp(ctx: Context, a_dot: Any, b_dot: Any, *options: Any) -> Any:
        XA, XB, y = ctx.saved_tensors
        return cdist_push((a_dot, b_dot), XA, XB, y, ctx.metric)


@table.rule(distance.pdist)
class Pdist(Function):
    """The distances within a set of points."""

    holomorphic = False

    @staticmethod
    def forward(ctx: Context, X: Any, metric: Any = "euclidean") -> Any:
        y = distance.pdist(X, metric)
        ctx.metric = metric
        ctx.save_for_backward(X, y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        X, y = ctx.saved_tensors
        return pdist_back(grad, X, y, ctx.metric)

    @staticmethod
    def jvp(ctx: Context, x_dot: Any, *options: Any) -> Any:
        X, y = ctx.saved_tensors
        return pdist_push(x_dot, X, y, ctx.metric)


@table.rule(distance.squareform)
class Squareform(Function):
    """Distances as a matrix, or as a vector."""

    linear = ("X",)

    @staticmethod
    def forward(ctx: Context, X: Any) -> Any:
        ctx.save_for_backward(X)
        return distance.squareform(X)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        (X,) = ctx.saved_tensors
        return as_vector_back(grad, X)


@table.rule(distance.euclidean)
class Euclidean(Function):
    """The distance of two points; its gradient at 0 is 0."""

    holomorphic = False

    @staticmethod
    def forward(ctx: Context, u: Any, v: Any) -> Any:
        y = distance.euclidean(u, v)
        ctx.save_for_backward(u, v, y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        u, v, y = ctx.saved_tensors
        turned = divide_or_zero(real_part(grad), y) * (u - v)
        return turned, -turned

    @staticmethod
    def jvp(ctx: Context, u_dot: Any, v_dot: Any) -> Any:
        u, v, y = ctx.saved_tensors
        return distance_push((u_dot, v_dot), u, v, y)


@table.rule(distance.sqeuclidean)
class Sqeuclidean(Function):
    """The square of the distance of two points."""

    @staticmethod
    def forward(ctx: Context, u: Any, v: Any) -> Any:
        ctx.save_for_backward(u, v)
        return distance.sqeuclidean(u, v)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        u, v = ctx.saved_tensors
        turned = 2 * grad * conj(u - v)
        return turned, -turned


@table.rule(distance.cityblock)
class Cityblock(Function):
    """The distance of two points along the axes."""

    @staticmethod
    def forward(ctx: Context, u: Any, v: Any) -> Any:
        ctx.save_for_backward(u, v)
        return distance.cityblock(u, v)

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        u, v = ctx.saved_tensors
        turned = real_part(grad) * np.sign(u - v)
        return turned, -turned


@table.rule(distance.cosine)
class Cosine(Function):
    """1 less the cosine of the angle of two vectors."""

    @staticmethod
    def forward(ctx: Context, u: Any, v: Any) -> Any:
        y = distance.cosine(u, v)
        ctx.save_for_backward(u, v, y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        u, v, y = ctx.saved_tensors
        sizes = np.sqrt(np.dot(u, u) * np.dot(v, v))
        grad_u = grad * ((1 - y) * u / np.dot(u, u) - v / sizes)
        grad_v = grad * ((1 - y) * v / np.dot(v, v) - u / sizes)
        return grad_u, grad_v


@table.rule(distance.mahalanobis)
class Mahalanobis(Function):
    """The distance of two points, measured by a matrix."""

    @staticmethod
    def forward(ctx: Context, u: Any, v: Any, VI: Any) -> Any:
        y = distance.mahalanobis(u, v, VI)
        ctx.save_for_backward(u, v, VI, y)
        return y

    @staticmethod
    def backward(ctx: Context, grad: Any) -> Any:
        u, v, VI, y = ctx.saved_tensors
        gap = u - v
        turned = divide_or_zero(grad, 2 * conj(y)) * conj((VI + VI.T) @ gap)
        grad_VI = divide_or_zero(grad, 2 * conj(y)) * conj(np.outer(gap, gap))
        return turned, -turned, grad_VI


RULES = table.freeze()
CONSTANT = dict.fromkeys(
    (
        *(distance.hamming, distance.jaccard, distance.dice, distance.rogerstanimoto),
        *(distance.russellrao, distance.sokalsneath, distance.yule),
    ),
    STEPS,
)
"""Distances that count what is equal."""
