"""The gradient of `triangular` as one would write it by hand."""

import numpy as np


def gradient(a, b):
    n = len(b)
    x = np.zeros(n)
    for i in range(n):
        s = b[i]
        for j in range(i):
            s = s - a[i, j] * x[j]
        x[i] = s / a[i, i]

    grad_x = 2 * x
    grad_a = np.zeros_like(a)
    grad_b = np.zeros_like(b)
    for i in reversed(range(n)):
        grad_s = grad_x[i] / a[i, i]
        grad_a[i, i] = -grad_s * x[i]
        for j in range(i):
            grad_a[i, j] = -grad_s * x[j]
            grad_x[j] -= grad_s * a[i, j]
        grad_b[i] = grad_s
    return grad_a, grad_b
