"""The first crossing of a threshold, returned from inside a loop."""

import numpy as np

import srcgrad as sg


def crossing(heights, level):
    for i in range(1, len(heights)):
        if heights[i] > level:
            rise = heights[i] - heights[i - 1]
            return i - 1 + (level - heights[i - 1]) / rise
    return 0.0 * level


gradient = sg.grad(crossing, argnums=(0, 1))


def example(rng):
    return np.cumsum(rng.uniform(0.5, 1.0, size=6)), 2.0


# ---------------------------------------- the derivative ----------------------------------------

from srcgrad.runtime import zeros_like


def crossing_grad(heights, level):
    """Gradient of `crossing` (search.py:8) with respect to `heights`, `level`.

    Taken for granted: heights.ndim == 1; level is a number.
    """

    # backward
    # L9: for i in range(1, len(heights)):
    grad_level = 0.0
    grad_heights = zeros_like(heights)
    for i in range(1, len(heights)):
        if heights[i] > level:
            rise = heights[i] - heights[i - 1]
            # L12: return i - 1 + (level - heights[i - 1]) / rise
            grad_numerator = 1.0 / rise
            grad_rise = -grad_numerator * ((level - heights[i - 1]) / rise)
            grad_level += grad_numerator
            # L11: rise = heights[i] - heights[i - 1]
            grad_heights[i - 1] -= grad_numerator + grad_rise
            grad_heights[i] = grad_rise
            break
    return grad_heights, grad_level
