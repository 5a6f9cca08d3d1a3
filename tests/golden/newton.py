"""A cube root by Newton steps, repeated until it is exact enough."""

import numpy as np

import srcgrad as sg


def cube_root(a):
    x = a
    while abs(x**3 - a) > 1e-13:
        x = x - (x**3 - a) / (3 * x**2)
    return x


gradient = sg.grad(cube_root)


def example(rng):
    return (rng.uniform(2.0, 3.0),)


# ---------------------------------------- the derivative ----------------------------------------

def cube_root_grad(a):
    """Gradient of `cube_root` (newton.py:8) with respect to `a`.

    Taken for granted: a is a number.
    """
    x = a
    steps = []
    while abs(x**3 - a) > 1e-13:
        ratio = (x**3 - a) / (3 * x**2)
        steps.append((ratio, x))
        x = x - ratio

    # backward
    # L10: while abs(x**3 - a) > 1e-13:
    grad_a = 0.0
    grad_x = 1.0
    for ratio, x in reversed(steps):
        # L11: x = x - (x**3 - a) / (3 * x**2)
        grad_numerator = -grad_x / (3 * x**2)
        grad_a -= grad_numerator
        grad_x = grad_x + grad_numerator * (3 * x**2 - 6 * x * ratio)
    # L9: x = a
    return grad_a + grad_x
