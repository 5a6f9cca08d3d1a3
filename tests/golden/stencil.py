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

from srcgrad.runtime import negated, unbroadcast, zeros_like


def energy_grad(u, rate, steps):
    """Gradient of `energy` (stencil.py:8) with respect to `u`, `rate`."""
    steps_2 = []
    for _ in range(steps):
        total = np.roll(u, 1) - 2 * u + np.roll(u, -1)
        u_2 = u + rate * total
        steps_2.append((total, u))
        u = u_2

    # backward
    # L11: return np.sum(u**2)
    grad_u = 2 * u
    # L9: for _ in range(steps):
    grad_rate = zeros_like(rate)
    for _ in reversed(range(steps)):
        total, u = steps_2.pop()
        # L10: u = u + rate * (np.roll(u, 1) - 2 * u + np.roll(u, -1))
        grad_u_2 = grad_u
        grad_u = unbroadcast(grad_u_2, u)
        grad_rate += unbroadcast(grad_u_2 * total, rate)
        grad_total = unbroadcast(grad_u_2 * rate, u)
        grad_u = grad_u + np.roll(grad_total, negated(-1), None)
        grad_u -= grad_total * 2
        grad_u += np.roll(grad_total, negated(1), None)
    return grad_u, grad_rate
