"""The gradient of `double_buffer` as one would write it by hand."""

import numpy as np


def gradient(start, steps):
    u = start.copy()
    new = start.copy()
    for _ in range(steps):
        new[1:-1] = 0.5 * (u[:-2] + u[2:])
        u, new = new, u

    grad_u = 2 * u
    grad_new = np.zeros_like(u)
    for _ in range(steps):
        grad_u, grad_new = grad_new, grad_u
        inner = 0.5 * grad_new[1:-1]
        grad_new[1:-1] = 0.0
        grad_u[:-2] += inner
        grad_u[2:] += inner
    return grad_u + grad_new
