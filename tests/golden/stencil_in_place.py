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

import numpy as np

from srcgrad.runtime import copied, unbroadcast, zeros_like


def energy_grad(start, rate, steps):
    """Gradient of `energy` (stencil_in_place.py:8) with respect to `start`, `rate`."""
    u = start.copy()
    steps_2 = []
    for _ in range(steps):
        total = u[:-2] - 2 * u[1:-1] + u[2:]
        product = rate * total
        product_shape = np.shape(product)
        u[1:-1] += product
        steps_2.append((total, product_shape))

    # backward
    # L12: return np.sum(u**2)
    grad_u = 2 * u
    # L10: for _ in range(steps):
    grad_rate = zeros_like(rate)
    for _ in reversed(range(steps)):
        total, product_shape = steps_2.pop()
        # L11: u[1:-1] += rate * (u[:-2] - 2 * u[1:-1] + u[2:])
        grad_product = copied(unbroadcast(grad_u[1:-1], product_shape))
        grad_rate += unbroadcast(grad_product * total, rate)
        grad_total = unbroadcast(grad_product * rate, total)
        grad_u[2:] += grad_total
        grad_u[1:-1] -= grad_total * 2
        grad_u[:-2] += grad_total
    return grad_u, grad_rate
