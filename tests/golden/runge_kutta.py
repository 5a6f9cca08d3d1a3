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


def midpoint_forward(y, t, dt, rate):
    """Run `midpoint` and keep what `midpoint_backward` reads."""
    product_2 = 0.5 * dt
    neg_rate = -rate
    cos_t = np.cos(t)
    half = y + product_2 * (neg_rate * y * cos_t)
    neg_rate_2 = -rate
    cos_np_2 = np.cos(t + 0.5 * dt)
    return (
        y + dt * (neg_rate_2 * half * cos_np_2),
        (dt, cos_np_2, neg_rate_2, product_2, cos_t, neg_rate, half, y),
    )


def midpoint_backward(saved, grad_out):
    """Return the gradients of `midpoint` with respect to `y`, `rate`."""
    dt, cos_np_2, neg_rate_2, product_2, cos_t, neg_rate, half, y = saved
    # L10: return y + dt * f(half, t + 0.5 * dt)
    grad_product_7 = grad_out * dt * cos_np_2
    grad_half = grad_product_7 * neg_rate_2
    # L9: half = y + 0.5 * dt * f(y, t)
    grad_product_4 = grad_half * product_2 * cos_t
    grad_y = grad_out + grad_half + grad_product_4 * neg_rate
    return grad_y, -(grad_product_7 * half).sum() - (grad_product_4 * y).sum()


def loss_grad(y, rate, n):
    """Gradient of `loss` (runge_kutta.py:13) with respect to `y`, `rate`.

    Taken for granted: y.ndim == 1; rate is a number.
    """
    saved_saved = []
    for i in range(n):
        y, saved = midpoint_forward(y, 0.1 * i, 0.1, rate)
        saved_saved.append(saved)

    # backward
    # L19: return np.sum(y**2)
    grad_y = 2 * y
    # L17: for i in range(n):
    grad_rate = 0.0
    for saved in reversed(saved_saved):
        # L18: y = midpoint(decay, y, 0.1 * i, 0.1)
        grad_y, grad_rate_2 = midpoint_backward(saved, grad_y)
        grad_rate += grad_rate_2
    return grad_y, grad_rate
