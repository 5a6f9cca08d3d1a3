"""A polynomial of one number."""

import numpy as np

import srcgrad as sg


def polynomial(x):
    return 3 * x**4 - 2 * x**2 + x / 5 - 7


gradient = sg.grad(polynomial)


def example(rng):
    return (rng.uniform(0.5, 1.5),)


# ---------------------------------------- the derivative ----------------------------------------

from srcgrad.runtime import scalar_seed


def polynomial_grad(x):
    """Gradient of `polynomial` (polynomial.py:8) with respect to `x`."""

    # backward
    # L9: return 3 * x**4 - 2 * x**2 + x / 5 - 7
    grad_out = scalar_seed(3 * x**4 - 2 * x**2 + x / 5 - 7)
    grad_x = grad_out / 5
    grad_x += 4 * x * -grad_out
    grad_x += 12 * x**3 * grad_out
    return grad_x
