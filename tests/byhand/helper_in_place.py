"""The gradient of `helper_in_place` as one would write it by hand."""

import numpy as np


def gradient(start, rate):
    u = start.copy()
    for _ in range(3):
        u[1:-1] += rate * (u[2:] - 2 * u[1:-1] + u[:-2])
        u[0] = u[1]
        u[-1] = u[-2]

    grad_u = 2 * u
    for _ in range(3):
        grad_u[-2] += grad_u[-1]
        grad_u[-1] = 0.0
        grad_u[1] += grad_u[0]
        grad_u[0] = 0.0
        grad_step = rate * grad_u[1:-1]
        grad_u[:-2] += grad_step
        grad_u[1:-1] -= 2 * grad_step
        grad_u[2:] += grad_step
    return grad_u
