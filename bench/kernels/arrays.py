"""Whole arrays: chains of elementwise steps, and statistics row by row."""

from __future__ import annotations

from typing import Any

import numpy as np

from bench.kernels.kernel import Kernel


def chain(x, scale):
    """Return the mean of elementwise steps that end in a clip."""
    y = np.tanh(scale * x) + 0.5 * x
    z = np.exp(-y * y) * x
    return np.mean(np.clip(z, -0.3, 0.3) * y)


def chain_by_hand(x, scale):
    bent = np.tanh(scale * x)
    y = bent + 0.5 * x
    bell = np.exp(-y * y)
    z = bell * x
    grad_z = y * (np.abs(z) <= 0.3)
    grad_y = np.clip(z, -0.3, 0.3)
    grad_z *= bell
    grad_y -= 2.0 * grad_z * x * y
    grad_y *= 1.0 / x.size
    grad_z *= 1.0 / x.size
    return grad_z + grad_y * (0.5 + scale * (1.0 - bent * bent))


def great_circle(latitude, longitude, at, along):
    """Return the sum of the distances on a sphere between two rows of points."""
    half_up = np.sin((at - latitude) / 2.0)
    half_over = np.sin((along - longitude) / 2.0)
    chord = half_up**2 + np.cos(latitude) * np.cos(at) * half_over**2
    return np.sum(2.0 * np.arctan2(np.sqrt(chord), np.sqrt(1.0 - chord)))


def great_circle_by_hand(latitude, longitude, at, along):
    up, over = (at - latitude) / 2.0, (along - longitude) / 2.0
    half_up, half_over = np.sin(up), np.sin(over)
    here, there = np.cos(latitude), np.cos(at)
    square = half_over * half_over
    chord = half_up * half_up + here * there * square
    grad = 1.0 / np.sqrt(chord * (1.0 - chord))
    turn = grad * half_up * np.cos(up)
    grad *= square
    grad *= there
    grad_latitude = -np.sin(latitude) * grad - turn
    grad_longitude = -here * there * half_over * np.cos(over)
    grad_longitude /= np.sqrt(chord * (1.0 - chord))
    return grad_latitude, grad_longitude


def correlation(data):
    """Return the sum of the squares of a matrix of correlations, filled row by row."""
    mean = np.mean(data, axis=0)
    spread = np.std(data, axis=0)
    scaled = (data - mean) / (np.sqrt(float(data.shape[0])) * spread)
    columns = data.shape[1]
    found = np.eye(columns)
    for i in range(columns - 1):
        found[i, i + 1 :] = scaled[:, i] @ scaled[:, i + 1 :]
        found[i + 1 :, i] = found[i, i + 1 :]
    return np.sum(found * found)


def correlation_by_hand(data):
    columns = data.shape[1]
    centred = data - data.mean(axis=0)
    width = np.sqrt(np.einsum("ij,ij->j", centred, centred))
    scaled = centred / width
    grad = np.zeros_like(data)
    for i in range(columns - 1):
        part = 4.0 * (scaled[:, i] @ scaled[:, i + 1 :])
        grad[:, i] += scaled[:, i + 1 :] @ part
        grad[:, i + 1 :] += np.outer(scaled[:, i], part)
    grad -= scaled * np.einsum("ij,ij->j", scaled, grad)
    grad /= width
    return grad - grad.mean(axis=0)


def covariance(data):
    """Return the sum of the squares of a matrix of covariances, filled row by row."""
    centred = data - np.mean(data, axis=0)
    columns = data.shape[1]
    found = np.zeros((columns, columns))
    for i in range(columns):
        found[i, i:] = centred[:, i] @ centred[:, i:] / (data.shape[0] - 1.0)
        found[i:, i] = found[i, i:]
    return np.sum(found * found)


def covariance_by_hand(data):
    count, columns = data.shape
    centred = data - data.mean(axis=0)
    grad = np.zeros_like(data)
    for i in range(columns):
        part = centred[:, i] @ centred[:, i:] / (count - 1.0)
        part[1:] *= 2.0
        part *= 2.0 / (count - 1.0)
        grad[:, i] += centred[:, i:] @ part
        grad[:, i:] += np.outer(centred[:, i], part)
    return grad - grad.mean(axis=0)


def two_products(first, second, left, right, matrix):
    """Return a product of two vectors after each has got a matrix's product, in place."""
    first += matrix @ left
    second += right @ matrix
    return first @ second


def two_products_by_hand(first, second, left, right, matrix):
    first += matrix @ left
    second += right @ matrix
    grad = np.outer(second, left)
    grad += np.outer(right, first)
    return second.copy(), first.copy(), matrix.T @ second, matrix @ first, grad


def _near(n: int, *shapes: tuple[int, ...]) -> tuple[Any, ...]:
    rng = np.random.default_rng(n)
    return tuple(rng.normal(size=shape) for shape in shapes)


def _points(n: int) -> tuple[Any, ...]:
    here, there, at, along = _near(n, (n,), (n,), (n,), (n,))
    return 0.3 * here, 0.5 * there, 0.3 * at + 0.8, 0.5 * along + 1.0


KERNELS = (
    Kernel(chain, chain_by_hand, lambda n: (*_near(n, (n,)), 0.7), (10**4, 10**5, 10**6), 0, True),
    Kernel(great_circle, great_circle_by_hand, _points, (10**4, 10**5, 10**6), (0, 1), True),
    Kernel(correlation, correlation_by_hand, lambda n: _near(n, (2 * n, n)), (25, 50, 100)),
    Kernel(covariance, covariance_by_hand, lambda n: _near(n, (2 * n, n)), (25, 50, 100)),
    Kernel(
        two_products,
        two_products_by_hand,
        lambda n: _near(n, (n,), (n,), (n,), (n,), (n, n)),
        (100, 300, 900),
        (0, 1, 2, 3, 4),
    ),
)
