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

from srcgrad.runtime import accumulate, unbroadcast, zeros_like


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
        (y, dt, cos_np_2, neg_rate_2, half, rate, product_2, cos_t, neg_rate),
    )


def midpoint_backward(saved, grad_out):
    """Return the gradients of `midpoint` with respect to `y`, `rate`."""
    y, dt, cos_np_2, neg_rate_2, half, rate, product_2, cos_t, neg_rate = saved
    # L10: return y + dt * f(half, t + 0.5 * dt)
    grad_y = unbroadcast(grad_out, y)
    grad_product_7 = grad_out * dt * cos_np_2
    grad_half = grad_product_7 * neg_rate_2
    grad_rate = -unbroadcast(grad_product_7 * half, rate)
    # L9: half = y + 0.5 * dt * f(y, t)
    grad_y = grad_y + unbroadcast(grad_half, y)
    grad_product_4 = grad_half * product_2 * cos_t
    grad_neg_rate = unbroadcast(grad_product_4 * y, rate)
    grad_y += unbroadcast(grad_product_4 * neg_rate, y)
    grad_rate -= grad_neg_rate
    return grad_y, grad_rate


def loss_grad(y, rate, n):
    """Gradient of `loss` (runge_kutta.py:13) with respect to `y`, `rate`."""
    saved_saved = []
    for i in range(n):
        y, saved = midpoint_forward(y, 0.1 * i, 0.1, rate)
        saved_saved.append(saved)

    # backward
    # L19: return np.sum(y**2)
    grad_y = 2 * y
    # L17: for i in range(n):
    grad_rate = zeros_like(rate)
    for i in reversed(range(n)):
        saved = saved_saved.pop()
        # L18: y = midpoint(decay, y, 0.1 * i, 0.1)
        grad_y, grad_rate_2 = midpoint_backward(saved, grad_y)
        grad_rate = accumulate(grad_rate, grad_rate_2)
    return grad_y, grad_rate
