"""A view that is written under its own name."""

import numpy as np

import srcgrad as sg


def energy(x, gain):
    y = x**2
    tail = y[1:]
    tail *= gain
    y[0] = tail[0] * x[1]
    return np.sum(y**2)


gradient = sg.grad(energy, argnums=(0, 1))


def example(rng):
    return rng.normal(size=4), 0.7


# ---------------------------------------- the derivative ----------------------------------------

from srcgrad.runtime import copied, zeros_like


def energy_grad(x, gain):
    """Gradient of `energy` (view_in_place.py:8) with respect to `x`, `gain`.

    Taken for granted: x.ndim == 1; gain is a number.
    """
    y = x**2
    grad_y = zeros_like(y)
    tail = y[1:]
    grad_tail = grad_y[1:]
    tail_before = copied(tail)
    tail *= gain
    tail_0 = tail[0]
    x_1 = x[1]
    y[0] = tail_0 * x_1

    # backward
    # L13: return np.sum(y**2)
    grad_y += 2.0 * y
    # L12: y[0] = tail[0] * x[1]
    grad_tail_0_times_x_1 = grad_y[0]
    grad_y[0] = 0.0
    grad_x = zeros_like(x)
    grad_x[1] = grad_tail_0_times_x_1 * tail_0
    grad_tail[0] += grad_tail_0_times_x_1 * x_1
    # L11: tail *= gain
    grad_gain = (grad_tail * tail_before).sum()
    grad_tail *= gain
    # L9: y = x**2
    return grad_x + 2.0 * x * grad_y, grad_gain
