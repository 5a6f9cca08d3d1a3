"""Relaxation between two arrays that change places after each step."""

import numpy as np

import srcgrad as sg


def energy(start, steps):
    u = start.copy()
    new = start.copy()
    for _ in range(steps):
        new[1:-1] = 0.5 * (u[:-2] + u[2:])
        u, new = new, u
    return np.sum(u**2)


gradient = sg.grad(energy)


def example(rng):
    return rng.normal(size=6), 4


# ---------------------------------------- the derivative ----------------------------------------

from srcgrad.runtime import zeros_like


def energy_grad(start, steps):
    """Gradient of `energy` (double_buffer.py:8) with respect to `start`.

    Taken for granted: start.ndim == 1.
    """
    u = start.copy()
    grad_u = zeros_like(u)
    new = start.copy()
    grad_new = zeros_like(new)
    grad_u_2 = grad_u
    grad_new_2 = grad_new
    steps_2 = []
    for _ in range(steps):
        steps_2.append((grad_u_2, grad_new_2))
        new[1:-1] = 0.5 * (u[:-2] + u[2:])
        new, u = u, new
        grad_new_2, grad_u_2 = grad_u_2, grad_new_2

    # backward
    # L14: return np.sum(u**2)
    grad_u_2 += 2.0 * u
    # L11: for _ in range(steps):
    for grad_u_2, grad_new_2 in reversed(steps_2):
        # L12: new[1:-1] = 0.5 * (u[:-2] + u[2:])
        grad_u_plus_u = grad_new_2[1:-1] * 0.5
        grad_new_2[1:-1] = 0.0
        grad_u_2[2:] += grad_u_plus_u
        grad_u_2[:-2] += grad_u_plus_u
    # L9: u = start.copy()
    return grad_new + grad_u
