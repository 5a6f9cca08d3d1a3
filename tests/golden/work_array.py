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

from srcgrad.runtime import zeros_like


def flow_grad(y0, rate):
    """Gradient of `flow` (work_array.py:8) with respect to `y0`.

    Taken for granted: y0.ndim == 1; rate is a number.
    """
    y = y0.copy()
    slope = np.empty_like(y)
    y_saved = []
    for _ in range(3):
        y_saved.append(y)
        slope[...] = np.sin(y)
        slope[...] = np.multiply(slope, rate)
        y = y + slope

    # backward
    # L15: return np.sum(y**2)
    grad_y = 2.0 * y
    # L11: for _ in range(3):
    grad_slope = zeros_like(slope)
    for y in reversed(y_saved):
        # L14: y += slope
        grad_slope += grad_y
        # L13: np.multiply(slope, rate, out=slope)
        grad_slope *= rate
        # L12: np.sin(y, out=slope)
        grad_y = grad_y + grad_slope * np.cos(y)
        grad_slope[...] = 0.0
    return grad_y
