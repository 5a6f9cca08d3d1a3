"""The gradient of `work_array` as one would write it by hand."""

import numpy as np


def gradient(y0, rate):
    y = y0.copy()
    ys = []
    for _ in range(3):
        ys.append(y)
        y = y + rate * np.sin(y)

    grad_y = 2 * y
    for y in reversed(ys):
        grad_y = grad_y * (1 + rate * np.cos(y))
    return grad_y
