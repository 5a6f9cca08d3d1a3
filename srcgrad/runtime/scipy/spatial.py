"""Calculates gradients of distances."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.errors import MissingRuleError
from srcgrad.runtime import divide_or_zero


def cdist_back(grad: Any, xa: Any, xb: Any, y: Any, metric: Any) -> tuple[Any, Any]:
    """Return the gradients of both sets of points; that of a distance of 0 is 0."""
    gaps = np.expand_dims(xa, 1) - xb
    if metric in ("euclidean", "euclid", "eu", "e"):
        turned = np.expand_dims(divide_or_zero(grad, y), -1) * gaps
    elif metric in ("sqeuclidean", "sqe", "sqeuclid"):
        turned = 2 * np.expand_dims(grad, -1) * gaps
    elif metric in ("cityblock", "cblock", "cb", "c"):
        turned = np.expand_dims(grad, -1) * np.sign(gaps)
    else:
        raise MissingRuleError(
            f"the distance {metric!r} has no derivative rule",
            hint="use euclidean, sqeuclidean or cityblock, or write the distance out",
        )
    return np.sum(turned, axis=1), -np.sum(turned, axis=0)


def pdist_back(grad: Any, x: Any, y: Any, metric: Any) -> Any:
    """Return the gradient of the points of ``pdist``."""
    square, sizes = squareform_back(grad, len(x)), squareform_back(y, len(x))
    first, second = cdist_back(square, x, x, sizes, metric)
    return (first + second) / 2


def squareform_back(grad: Any, n: int) -> Any:
    """Return a symmetric matrix with the entries of a vector on both sides of its diagonal."""
    if n < 2:
        return np.zeros_like(grad, shape=(n, n))
    places = np.zeros((n, n), dtype=int)
    places[np.triu_indices(n, 1)] = range(np.size(grad))
    return np.where(np.eye(n, dtype=bool), 0, grad[places + places.T])


def as_vector_back(grad: Any, x: Any) -> Any:
    """Return the gradient of what ``squareform`` turns: of a matrix it reads one triangle."""
    n = np.shape(x)[0]
    if np.ndim(x) == 2:
        return np.triu(squareform_back(grad, n), 1)
    above = np.triu_indices(np.shape(grad)[0], 1)
    return grad[above] + grad.T[above]
