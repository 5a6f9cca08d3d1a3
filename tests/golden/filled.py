"""An array that a loop fills, one element after another."""

import math

import numpy as np

import srcgrad as sg


def energy(x, k):
    y = np.zeros(5)
    y[0] = x
    for i in range(1, 5):
        y[i] = y[i - 1] + k * math.sin(y[i - 1])
    return np.sum(y**2)


gradient = sg.grad(energy, argnums=(0, 1))


def example(rng):
    return rng.uniform(0.5, 1.0), 0.3


# ---------------------------------------- the derivative ----------------------------------------

import math

import numpy as np


def energy_grad(x, k):
    """Gradient of `energy` (filled.py:10) with respect to `x`, `k`.

    Taken for granted: x is a number; k is a number.
    """
    y = np.zeros(5)
    y[0] = x
    for i in range(1, 5):
        y[i] = y[i - 1] + k * math.sin(y[i - 1])

    # backward
    # L15: return np.sum(y**2)
    grad_y = 2.0 * y
    # L13: for i in range(1, 5):
    grad_k = 0.0
    for i in reversed(range(1, 5)):
        # L14: y[i] = y[i - 1] + k * math.sin(y[i - 1])
        grad_total = grad_y[i]
        grad_k += grad_total * math.sin(y[i - 1])
        grad_y[i - 1] += grad_total * k * math.cos(y[i - 1]) + grad_total
    # L12: y[0] = x
    return grad_y[0], grad_k
