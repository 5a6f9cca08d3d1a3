"""The gradient of `filled` as one would write it by hand."""

import math

import numpy as np


def gradient(x, k):
    y = np.zeros(5)
    y[0] = x
    for i in range(1, 5):
        y[i] = y[i - 1] + k * math.sin(y[i - 1])

    grad_y = 2 * y
    grad_k = 0.0
    for i in reversed(range(1, 5)):
        grad_k += grad_y[i] * math.sin(y[i - 1])
        grad_y[i - 1] += grad_y[i] * (1 + k * math.cos(y[i - 1]))
    return grad_y[0], grad_k
