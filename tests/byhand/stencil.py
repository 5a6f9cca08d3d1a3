"""The gradient of `stencil` as one would write it by hand."""

import numpy as np


def laplacian(u):
    return np.roll(u, 1) - 2 * u + np.roll(u, -1)


def gradient(u, rate, steps):
    bends = []
    for _ in range(steps):
        bend = laplacian(u)
        bends.append(bend)
        u = u + rate * bend

    grad_u = 2 * u
    grad_rate = 0.0
    for bend in reversed(bends):
        grad_rate += np.sum(grad_u * bend)
        grad_u = grad_u + rate * laplacian(grad_u)
    return grad_u, grad_rate
