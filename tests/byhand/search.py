"""The gradient of `search` as one would write it by hand."""

import numpy as np


def gradient(heights, level):
    grad_heights = np.zeros_like(heights)
    grad_level = 0.0
    for i in range(1, len(heights)):
        if heights[i] > level:
            rise = heights[i] - heights[i - 1]
            grad_rise = -(level - heights[i - 1]) / rise**2
            grad_level = 1 / rise
            grad_heights[i] = grad_rise
            grad_heights[i - 1] = -grad_level - grad_rise
            break
    return grad_heights, grad_level
