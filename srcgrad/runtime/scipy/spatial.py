"""Calculates gradients of distances."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.errors import MissingRuleError
from srcgrad.runtime import divide_or_zero
from srcgrad.runtime.complex_parts import conj


def cdist_back(grad: Any, xa: Any, xb: Any, y: Any, metric: Any) -> tuple[Any, Any]:
    """Return the gradients of both sets of points; that of a distance of 0 is 0."""
    weights, gaps = _turned(grad, np.expand_dims(xa, 1) - xb, y, metric)
    return np.einsum("ij,ijk->ik", weights, gaps), -np.einsum("ij,ijk->jk", weights, gaps)


def pdist_back(grad: Any, x: Any, y: Any, metric: Any) -> Any:
    """Return the gradient of the points of ``pdist``."""
    square, sizes = squareform_back(grad, len(x)), squareform_back(y, len(x))
    weights, gaps = _turned(square, np.expand_dims(x, 1) - x, sizes, metric)
    return np.einsum("ij,ijk->ik", weights, gaps)


def cdist_push(dots: tuple[Any, Any], xa: Any, xb: Any, y: Any, metric: Any) -> Any:
    """Return the tangent of the distances between two sets of points; None stands for zeros."""
    a_dot, b_dot = (0 * x if dot is None else dot for dot, x in zip(dots, (xa, xb), strict=True))
    weights, gaps = _turned(np.ones_like(y), np.expand_dims(xa, 1) - xb, y, metric)
    return weights * np.sum(gaps * (np.expand_dims(a_dot, 1) - b_dot), axis=-1)


def pdist_push(x_dot: Any, x: Any, y: Any, metric: Any) -> Any:
    """Return the tangent of the distances within a set of points."""
    first, second = np.triu_indices(len(x), 1)
    weights, gaps = _turned(np.ones_like(y), x[first] - x[second], y, metric)
    return weights * np.sum(gaps * (x_dot[first] - x_dot[second]), axis=-1)


def distance_push(dots: tuple[Any, Any], u: Any, v: Any, y: Any) -> Any:
    """Return the tangent of the distance of two points; None stands for zeros."""
    u_dot, v_dot = dots
    moved = (0 * u if u_dot is None else u_dot) - (0 * v if v_dot is None else v_dot)
    return divide_or_zero(np.real(np.sum(conj(u - v) * moved)), y)


def _turned(grad: Any, gaps: Any, y: Any, metric: Any) -> tuple[Any, Any]:
    """Return the gradient of each distance by its coordinates, as a number times a vector."""
    if metric in ("euclidean", "euclid", "eu", "e"):
        return divide_or_zero(grad, y), gaps
    if metric in ("sqeuclidean", "sqe", "sqeuclid"):
        return 2 * grad, gaps
    if metric in ("cityblock", "cblock", "cb", "c"):
        return grad, np.sign(gaps)
    raise MissingRuleError(
        f"the distance {metric!r} has no derivative rule",
        hint="use euclidean, sqeuclidean or cityblock, or write the distance out",
    )


def squareform_back(grad: Any, n: int) -> Any:
    """Return a symmetric matrix with the entries of a vector on both sides of its diagonal."""
    if n < 2:
        return np.zeros_like(grad, shape=(n, n))
    places = np.zeros((n, n), dtype=int)
    places[np.triu_indices(n, 1)] = np.arange(np.size(grad))
    return np.where(np.eye(n, dtype=bool), 0, grad[places + places.T])


def as_vector_back(grad: Any, x: Any) -> Any:
    """Return the gradient of what ``squareform`` turns: of a matrix it reads one triangle."""
    n = np.shape(x)[0]
    if np.ndim(x) == 2:
        return np.triu(squareform_back(grad, n), 1)
    above = np.triu_indices(np.shape(grad)[0], 1)
    return grad[above] + grad.T[above]
