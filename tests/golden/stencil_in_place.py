"""Diffusion in a loop over time, each step written into the same array."""

import numpy as np

import srcgrad as sg


def energy(start, rate, steps):
    u = start.copy()
    for _ in range(steps):
        u[1:-1] += rate * (u[:-2] - 2 * u[1:-1] + u[2:])
    return np.sum(u**2)


gradient = sg.grad(energy, argnums=(0, 1))


def example(rng):
    return rng.normal(size=6), 0.2, 4


# ---------------------------------------- the derivative ----------------------------------------

def energy_grad(start, rate, steps):
    """Gradient of `energy` (stencil_in_place.py:8) with respect to `start`, `rate`.

    Taken for granted: start.ndim == 1; rate is a number.
    """
    u = start.copy()
    total_saved = []
    for _ in range(steps):
        total = u[:-2] - 2 * u[1:-1] + u[2:]
        total_saved.append(total)
        u[1:-1] += rate * total

    # backward
    # L12: return np.sum(u**2)
    grad_u = 2.0 * u
    # L10: for _ in range(steps):
    grad_rate = 0.0
    for total in reversed(total_saved):
        # L11: u[1:-1] += rate * (u[:-2] - 2 * u[1:-1] + u[2:])
        grad_rate += grad_u[1:-1] @ total
        grad_total = grad_u[1:-1] * rate
        grad_u[2:] += grad_total
        grad_u[1:-1] -= grad_total * 2.0
        grad_u[:-2] += grad_total
    return grad_u, grad_rate
