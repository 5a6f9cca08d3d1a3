"""A polynomial of one number."""

import numpy as np

import srcgrad as sg


def polynomial(x):
    return 3 * x**4 - 2 * x**2 + x / 5 - 7


gradient = sg.grad(polynomial)


def example(rng):
    return (rng.uniform(0.5, 1.5),)


# ---------------------------------------- the derivative ----------------------------------------

def polynomial_grad(x):
    """Gradient of `polynomial` (polynomial.py:8) with respect to `x`.

    Taken for granted: x is a number.
    """

    # backward
    # L9: return 3 * x**4 - 2 * x**2 + x / 5 - 7
    return 1.0 / 5 - 4 * x + 12 * x**3
