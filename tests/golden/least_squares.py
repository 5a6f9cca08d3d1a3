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

import numpy as np


def misfit_grad(a, x, b):
    """Gradient of `misfit` (least_squares.py:8) with respect to `a`, `x`, `b`.

    Taken for granted: a.ndim == 2; x.ndim == 1; b.ndim == 1; len(b) == len(a).
    """
    r = a @ x - b

    # backward
    # L9: r = a @ x - b
    return np.outer(r, x), r @ a, -r
