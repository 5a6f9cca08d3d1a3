"""The gradient of `view_in_place` as one would write it by hand."""

import numpy as np


def gradient(x, gain):
    y = x**2
    y[1:] *= gain
    y[0] = y[1] * x[1]

    grad_y = 2 * y
    grad_y[1] += grad_y[0] * x[1]
    grad_gain = np.sum(grad_y[1:] * x[1:] ** 2)
    grad_x = np.zeros_like(x)
    grad_x[1:] = grad_y[1:] * gain * 2 * x[1:]
    grad_x[1] += grad_y[0] * y[1]
    return grad_x, grad_gain
