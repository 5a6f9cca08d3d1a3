"""Calculates gradients of distributions of vectors, and of entropies."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from srcgrad.runtime import onto_triangle, unbroadcast


def multivariate_normal_back(grad: Any, x: Any, mean: Any, cov: Any) -> tuple[Any, Any, Any]:
    """Return the gradients of the logarithm of the density of normal vectors."""
    count = np.shape(cov)[0] if np.ndim(cov) else 1 if mean is None else np.size(mean)
    points = np.reshape(x, (-1, count))
    shift = points - (0 if mean is None else mean)
    weights = np.reshape(grad, (-1, 1))
    matrix = cov if np.ndim(cov) == 2 else cov * np.eye(count)
    inverse = np.linalg.inv(matrix)
    turned = shift @ inverse
    by_x = -weights * turned
    full = 0.5 * ((weights * turned).T @ turned - np.sum(weights) * inverse)
    if np.ndim(cov) == 2:
        grad_cov = onto_triangle(full, True)  # the other is not read
    else:
        grad_cov = unbroadcast(np.diagonal(full), np.shape(cov))
    grad_mean = None if mean is None else unbroadcast(-np.sum(by_x, axis=0), np.shape(mean))
    return np.reshape(by_x, np.shape(x)), grad_mean, grad_cov


def entropy_back(grad: Any, values: tuple[Any, Any, Any], base: Any, axis: int) -> tuple[Any, Any]:
    """Return the gradients of the shares of ``y = stats.entropy(pk, qk, base, axis)``."""
    pk, qk, y = values
    unit = 1 if base is None else math.log(base)
    grad, nats = np.expand_dims(grad / unit, axis), np.expand_dims(y * unit, axis)
    total = np.sum(pk, axis=axis, keepdims=True)
    p = pk / total
    if qk is None:
        return -grad * (np.log(p) + nats) / total, None
    whole = np.sum(qk, axis=axis, keepdims=True)
    ratio = p * whole / qk
    by_p = grad * (np.log(ratio) - nats) / total
    return unbroadcast(by_p, np.shape(pk)), unbroadcast(grad * (1 - ratio) / whole, np.shape(qk))
