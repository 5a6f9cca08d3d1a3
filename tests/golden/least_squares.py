"""A residual of a linear system."""

import numpy as np

import srcgrad as sg


def misfit(a, x, b):
    r = a @ x - b
    return 0.5 * r @ r


gradient = sg.grad(misfit, argnums=(0, 1, 2))


def example(rng):
    return rng.normal(size=(4, 3)), rng.normal(size=3), rng.normal(size=4)


# ---------------------------------------- the derivative ----------------------------------------

from srcgrad.runtime import scalar_seed, unbroadcast


def misfit_grad(a, x, b):
    """Gradient of `misfit` (least_squares.py:8) with respect to `a`, `x`, `b`."""
    a_at_x = a @ x
    r = a_at_x - b
    product = 0.5 * r

    # backward
    # L10: return 0.5 * r @ r
    grad_out = scalar_seed(product @ r)
    grad_r = product.T @ grad_out
    grad_r += grad_out @ r.T * 0.5
    # L9: r = a @ x - b
    grad_a_at_x = unbroadcast(grad_r, a_at_x)
    grad_b = unbroadcast(-grad_r, b)
    grad_a = grad_a_at_x @ x.T
    grad_x = a.T @ grad_a_at_x
    return grad_a, grad_x, grad_b
