"""The gradient of `stack` as one would write it by hand."""

import numpy as np


def gradient(x):
    grad_x = np.zeros_like(x)
    partial = x[0]
    partials = []
    for value in x[1:]:
        partials.append(partial)
        partial = partial * value + 1.0

    grad = 1.0
    for i in reversed(range(1, len(x))):
        grad_x[i] = grad * partials[i - 1]
        grad = grad * x[i]
    grad_x[0] = grad
    return grad_x
