"""Diffusion in a loop over time, each step a new array."""

import numpy as np

import srcgrad as sg


def energy(u, rate, steps):
    for _ in range(steps):
        u = u + rate * (np.roll(u, 1) - 2 * u + np.roll(u, -1))
    return np.sum(u**2)


gradient = sg.grad(energy, argnums=(0, 1))


def example(rng):
    return rng.normal(size=6), 0.2, 4


# ---------------------------------------- the derivative ----------------------------------------

import numpy as np


def energy_grad(u, rate, steps):
    """Gradient of `energy` (stencil.py:8) with respect to `u`, `rate`.

    Taken for granted: u.ndim == 1; rate is a number.
    """
    total_saved = []
    for _ in range(steps):
        total = np.roll(u, 1) - 2 * u + np.roll(u, -1)
        total_saved.append(total)
        u = u + rate * total

    # backward
    # L11: return np.sum(u**2)
    grad_u = 2.0 * u
    # L9: for _ in range(steps):
    grad_rate = 0.0
    for total in reversed(total_saved):
        # L10: u = u + rate * (np.roll(u, 1) - 2 * u + np.roll(u, -1))
        grad_rate += grad_u @ total
        grad_total = grad_u * rate
        grad_u = grad_u + np.roll(grad_total, 1) - grad_total * 2.0 + np.roll(grad_total, -1)
    return grad_u, grad_rate
