"""The gradient of `runge_kutta` as one would write it by hand."""

import numpy as np


def gradient(y, rate, n):
    steps = []
    for i in range(n):
        early, late = np.cos(0.1 * i), np.cos(0.1 * i + 0.05)
        half = y - 0.05 * rate * y * early
        steps.append((y, half, early, late))
        y = y - 0.1 * rate * half * late

    grad_y = 2 * y
    grad_rate = 0.0
    for y, half, early, late in reversed(steps):
        grad_rate -= 0.1 * late * np.sum(grad_y * half)
        grad_half = -0.1 * rate * late * grad_y
        grad_rate -= 0.05 * early * np.sum(grad_half * y)
        grad_y = grad_y + grad_half * (1 - 0.05 * rate * early)
    return grad_y, grad_rate
