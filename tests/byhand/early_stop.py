"""The gradient of `early_stop` as one would write it by hand."""

import numpy as np


def gradient(a):
    x = a
    xs = []
    for _ in range(100):
        xs.append(x)
        step = np.cos(a * x) - x
        x = x + 0.5 * step
        if abs(step) < 1e-12:
            break

    grad_a = 0.0
    grad_x = 1.0
    for x in reversed(xs):
        grad_angle = -0.5 * grad_x * np.sin(a * x)
        grad_a += grad_angle * x
        grad_x = 0.5 * grad_x + grad_angle * a
    return grad_a + grad_x
