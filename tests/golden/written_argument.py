"""A function that writes into its argument: the gradient is that of the value at entry."""

import numpy as np

import srcgrad as sg


def settle(u, weight):
    for _ in range(3):
        u[1:-1] += weight * (u[2:] - u[:-2])
        u[0] = u[-1]
    return np.sum(u**2)


gradient = sg.grad(settle, argnums=(0, 1))


def example(rng):
    return rng.normal(size=6), 0.3


# ---------------------------------------- the derivative ----------------------------------------

from srcgrad.runtime import zeros_like


def settle_grad(u, weight):
    """Gradient of `settle` (written_argument.py:8) with respect to `u`, `weight`.

    Taken for granted: u.ndim == 1; weight is a number.
    """
    grad_u = zeros_like(u)
    u_minus_u_saved = []
    for _ in range(3):
        u_minus_u = u[2:] - u[:-2]
        u_minus_u_saved.append(u_minus_u)
        u[1:-1] += weight * u_minus_u
        u[0] = u[-1]

    # backward
    # L12: return np.sum(u**2)
    grad_u += 2.0 * u
    # L9: for _ in range(3):
    grad_weight = 0.0
    for u_minus_u in reversed(u_minus_u_saved):
        # L11: u[0] = u[-1]
        grad_u_part_3 = grad_u[0]
        grad_u[0] = 0.0
        grad_u[-1] += grad_u_part_3
        # L10: u[1:-1] += weight * (u[2:] - u[:-2])
        grad_weight += grad_u[1:-1] @ u_minus_u
        grad_u_minus_u = grad_u[1:-1] * weight
        grad_u[:-2] -= grad_u_minus_u
        grad_u[2:] += grad_u_minus_u
    return grad_u, grad_weight
