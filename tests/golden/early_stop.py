"""A fixed point, iterated until it is exact enough or the steps are used up."""

import numpy as np

import srcgrad as sg


def fixed_point(a):
    x = a
    for _ in range(100):
        new = np.cos(a * x)
        step = new - x
        x = x + 0.5 * step
        if abs(step) < 1e-12:
            break
    return x


gradient = sg.grad(fixed_point)


def example(rng):
    return (rng.uniform(0.5, 1.0),)


# ---------------------------------------- the derivative ----------------------------------------

import numpy as np


def fixed_point_grad(a):
    """Gradient of `fixed_point` (early_stop.py:8) with respect to `a`.

    Taken for granted: a is a number.
    """
    x = a
    x_saved = []
    for _ in range(100):
        x_saved.append(x)
        new = np.cos(a * x)
        step = new - x
        x = x + 0.5 * step
        if abs(step) < 1e-12:
            break

    # backward
    # L10: for _ in range(100):
    grad_a = 0.0
    grad_x = 1.0
    for x in reversed(x_saved):
        # L13: x = x + 0.5 * step
        grad_step = grad_x * 0.5
        # L11: new = np.cos(a * x)
        grad_a_times_x = grad_step * -np.sin(a * x)
        grad_a += grad_a_times_x * x
        # L12: step = new - x
        grad_x = grad_x - grad_step + grad_a_times_x * a
    # L9: x = a
    return grad_a + grad_x
