"""The gradient of `triangular` as one would write it by hand."""

import numpy as np


def gradient(a, b):
    n = len(b)
    x = np.zeros(n)
    for i in range(n):
        x[i] = (b[i] - a[i, :i] @ x[:i]) / a[i, i]

    grad_x = 2 * x
    grad_a = np.zeros_like(a)
    grad_b = np.zeros_like(b)
    for i in reversed(range(n)):
        grad_b[i] = grad_x[i] / a[i, i]
        grad_a[i, : i + 1] = -grad_b[i] * x[: i + 1]
        grad_x[:i] -= grad_b[i] * a[i, :i]
    return grad_a, grad_b
