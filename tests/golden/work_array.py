"""Results that ufuncs put into arrays that are used again in each step."""

import numpy as np

import srcgrad as sg


def flow(y0, rate):
    y = y0.copy()
    slope = np.empty_like(y)
    for _ in range(3):
        np.sin(y, out=slope)
        np.multiply(slope, rate, out=slope)
        y += slope
    return np.sum(y**2)


gradient = sg.grad(flow)


def example(rng):
    return rng.normal(size=4), 0.2


# ---------------------------------------- the derivative ----------------------------------------

import numpy as np

from srcgrad.runtime import copied, unbroadcast, zeros_like


def flow_grad(y0, rate):
    """Gradient of `flow` (work_array.py:8) with respect to `y0`."""
    y = y0.copy()
    slope = np.empty_like(y)
    steps = []
    for _ in range(3):
        slope[...] = np.sin(y)
        multiply_slope = np.multiply(slope, rate)
        multiply_slope_shape = np.shape(multiply_slope)
        slope[...] = multiply_slope
        y_2 = y + slope
        steps.append((multiply_slope_shape, y))
        y = y_2

    # backward
    # L15: return np.sum(y**2)
    grad_y = 2 * y
    # L11: for _ in range(3):
    grad_slope = zeros_like(slope)
    for _ in reversed(range(3)):
        multiply_slope_shape, y = steps.pop()
        # L14: y += slope
        grad_slope += grad_y
        # L13: np.multiply(slope, rate, out=slope)
        grad_multiply_slope = copied(unbroadcast(grad_slope, multiply_slope_shape))
        grad_slope[...] = 0.0
        grad_slope += unbroadcast(grad_multiply_slope * rate, y0)
        # L12: np.sin(y, out=slope)
        grad_sin_y = copied(grad_slope)
        grad_slope[...] = 0.0
        grad_y = grad_y + grad_sin_y * np.cos(y)
    return grad_y
