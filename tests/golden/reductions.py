"""Sums and means over axes: columns made standard."""

import numpy as np

import srcgrad as sg


def skewness(x):
    centered = x - x.mean(axis=0)
    variance = np.mean(centered**2, axis=0)
    z = centered / np.sqrt(variance)
    return np.sum(z.sum(axis=1, keepdims=True) * z**3) / x.size


gradient = sg.grad(skewness)


def example(rng):
    return (rng.normal(size=(5, 3)),)


# ---------------------------------------- the derivative ----------------------------------------

import numpy as np

from srcgrad.runtime import dot_along


def skewness_grad(x):
    """Gradient of `skewness` (reductions.py:8) with respect to `x`.

    Taken for granted: x.ndim == 2.
    """
    centered = x - x.mean(axis=0)
    variance = np.mean(centered**2, axis=0)
    sqrt_variance = np.sqrt(variance)
    z = centered / sqrt_variance

    # backward
    # L12: return np.sum(z.sum(axis=1, keepdims=True) * z**3) / x.size
    grad_sum_2 = 1.0 / x.size
    grad_z = 3.0 * z**2 * (grad_sum_2 * z.sum(axis=1, keepdims=True))
    grad_z += dot_along(grad_sum_2, z**3, axis=1, keepdims=True)
    # L11: z = centered / np.sqrt(variance)
    grad_numerator = grad_z / sqrt_variance
    grad_variance = -0.5 * (grad_numerator * z).sum(axis=0) / sqrt_variance
    # L10: variance = np.mean(centered**2, axis=0)
    grad_centered = grad_numerator + 2.0 * centered * (grad_variance / np.shape(centered)[0])
    # L9: centered = x - x.mean(axis=0)
    return grad_centered - grad_centered.sum(axis=0) / np.shape(x)[0]
