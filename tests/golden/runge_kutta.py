"""A stepper that is given its right-hand side, a closure."""

import numpy as np

import srcgrad as sg


def midpoint(f, y, t, dt):
    half = y + 0.5 * dt * f(y, t)
    return y + dt * f(half, t + 0.5 * dt)


def loss(y, rate, n):
    def decay(y, t):
        return -rate * y * np.cos(t)

    for i in range(n):
        y = midpoint(decay, y, 0.1 * i, 0.1)
    return np.sum(y**2)


gradient = sg.grad(loss, argnums=(0, 1))


def example(rng):
    return rng.normal(size=3), 0.7, 4


# ---------------------------------------- the derivative ----------------------------------------

import numpy as np


def loss_grad(y, rate, n):
    """Gradient of `loss` (runge_kutta.py:13) with respect to `y`, `rate`.

    Taken for granted: y.ndim == 1; rate is a number.
    """
    steps = []
    for i in range(n):
        t_2 = 0.1 * i
        cos_t_2 = np.cos(t_2)
        half = y + 0.05 * (-rate * y * cos_t_2)
        cos = np.cos(t_2 + 0.05)
        steps.append((cos_t_2, half, cos, y))
        y = y + 0.1 * (-rate * half * cos)

    # backward
    # L19: return np.sum(y**2)
    grad_y = 2.0 * y
    # L17: for i in range(n):
    grad_rate = 0.0
    for cos_t_2, half, cos, y in reversed(steps):
        # L18: y = midpoint(decay, y, 0.1 * i, 0.1)
        grad_product_6 = grad_y * 0.1 * cos
        grad_half = grad_product_6 * -rate
        # L9: half = y + 0.5 * dt * f(y, t)
        grad_product_3 = grad_half * 0.05 * cos_t_2
        grad_y = grad_y + grad_half + grad_product_3 * -rate
        grad_rate -= grad_product_6 @ half + grad_product_3 @ y
    return grad_y, grad_rate
