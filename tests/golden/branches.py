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

from srcgrad.runtime import scalar_seed, sign, unbroadcast, zeros_like


def huber_grad(x, delta):
    """Gradient of `huber` (branches.py:8) with respect to `x`, `delta`."""
    size = abs(x)
    if size <= delta:
        loss = 0.5 * x**2
    else:
        test_2 = size <= 3 * delta
        if test_2:
            difference = size - 0.5 * delta
            loss = delta * difference
        else:
            loss = 2.5 * delta**2

    # backward
    # L10: if size <= delta:
    grad_loss = scalar_seed(loss)
    if size <= delta:
        # L11: loss = 0.5 * x**2
        grad_x = 2 * x * (grad_loss * 0.5)
        grad_delta = zeros_like(delta)
        grad_size = zeros_like(size)
    else:
        # L12: elif size <= 3 * delta:
        if test_2:
            # L13: loss = delta * (size - 0.5 * delta)
            grad_delta = unbroadcast(grad_loss * difference, delta)
            grad_difference = grad_loss * delta
            grad_size = unbroadcast(grad_difference, x)
            grad_delta += unbroadcast(-grad_difference * 0.5, delta)
        else:
            # L15: loss = 2.5 * delta**2
            grad_delta = 2 * delta * (grad_loss * 2.5)
            grad_size = zeros_like(size)
        grad_x = zeros_like(x)
    # L9: size = abs(x)
    grad_x += grad_size * sign(x)
    return grad_x, grad_delta
