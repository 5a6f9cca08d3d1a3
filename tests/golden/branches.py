"""The Huber loss of one number, by branches."""

import numpy as np

import srcgrad as sg


def huber(x, delta):
    size = abs(x)
    if size <= delta:
        loss = 0.5 * x**2
    elif size <= 3 * delta:
        loss = delta * (size - 0.5 * delta)
    else:
        loss = 2.5 * delta**2
    return loss


gradient = sg.grad(huber, argnums=(0, 1))


def example(rng):
    return rng.uniform(1.0, 1.5), 0.7


# ---------------------------------------- the derivative ----------------------------------------

from srcgrad.runtime import sign


def huber_grad(x, delta):
    """Gradient of `huber` (branches.py:8) with respect to `x`, `delta`.

    Taken for granted: x is a number; delta is a number.
    """
    size = abs(x)

    # backward
    # L10: if size <= delta:
    if size <= delta:
        # L11: loss = 0.5 * x**2
        grad_x = x
        grad_delta = 0.0
        grad_size = 0.0
    else:
        # L12: elif size <= 3 * delta:
        if size <= 3 * delta:
            # L13: loss = delta * (size - 0.5 * delta)
            grad_delta = size - delta
            # L12: elif size <= 3 * delta:
            grad_size = delta
        else:
            # L15: loss = 2.5 * delta**2
            grad_delta = 5.0 * delta
            grad_size = 0.0
        grad_x = 0.0
    # L9: size = abs(x)
    return grad_x + grad_size * sign(x), grad_delta
