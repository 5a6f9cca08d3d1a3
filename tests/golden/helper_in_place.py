"""A helper that writes into what it is given and returns nothing."""

import numpy as np

import srcgrad as sg


def mirror_ends(u):
    u[0] = u[1]
    u[-1] = u[-2]


def heat(start, rate):
    u = start.copy()
    for _ in range(3):
        u[1:-1] += rate * (u[2:] - 2 * u[1:-1] + u[:-2])
        mirror_ends(u)
    return np.sum(u**2)


gradient = sg.grad(heat)


def example(rng):
    return rng.normal(size=6), 0.2


# ---------------------------------------- the derivative ----------------------------------------

def heat_grad(start, rate):
    """Gradient of `heat` (helper_in_place.py:13) with respect to `start`.

    Taken for granted: start.ndim == 1; rate is a number.
    """
    u = start.copy()
    for _ in range(3):
        u[1:-1] += rate * (u[2:] - 2 * u[1:-1] + u[:-2])
        u[0] = u[1]
        u[-1] = u[-2]

    # backward
    # L18: return np.sum(u**2)
    grad_u = 2.0 * u
    # L15: for _ in range(3):
    for _ in reversed(range(3)):
        # L17: mirror_ends(u)
        grad_u[-2] += grad_u[-1]
        grad_u[-1] = 0.0
        grad_u[1] += grad_u[0]
        grad_u[0] = 0.0
        # L16: u[1:-1] += rate * (u[2:] - 2 * u[1:-1] + u[:-2])
        grad_total = grad_u[1:-1] * rate
        grad_u[:-2] += grad_total
        grad_u[1:-1] -= grad_total * 2.0
        grad_u[2:] += grad_total
    return grad_u
