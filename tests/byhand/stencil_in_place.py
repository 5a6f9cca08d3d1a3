"""The gradient of `stencil_in_place` as one would write it by hand."""

import numpy as np


def gradient(start, rate, steps):
    u = start.copy()
    bends = []
    for _ in range(steps):
        bend = u[:-2] - 2 * u[1:-1] + u[2:]
        bends.append(bend)
        u[1:-1] += rate * bend

    grad_u = 2 * u
    grad_rate = 0.0
    for bend in reversed(bends):
        grad_rate += np.sum(grad_u[1:-1] * bend)
        grad_bend = rate * grad_u[1:-1]
        grad_u[:-2] += grad_bend
        grad_u[1:-1] -= 2 * grad_bend
        grad_u[2:] += grad_bend
    return grad_u, grad_rate
