"""A triangular system solved by substitution."""

import numpy as np

import srcgrad as sg


def solution(a, b):
    n = len(b)
    x = np.zeros(n)
    for i in range(n):
        s = b[i]
        for j in range(i):
            s = s - a[i, j] * x[j]
        x[i] = s / a[i, i]
    return np.sum(x**2)


gradient = sg.grad(solution, argnums=(0, 1))


def example(rng):
    return rng.normal(size=(4, 4)) + 3 * np.eye(4), rng.normal(size=4)


# ---------------------------------------- the derivative ----------------------------------------

import numpy as np

from srcgrad.runtime import zeros_like


def solution_grad(a, b):
    """Gradient of `solution` (triangular.py:8) with respect to `a`, `b`.

    Taken for granted: a.ndim == 2; b.ndim == 1.
    """
    n = len(b)
    x = np.zeros(n)
    for i in range(n):
        s = b[i]
        for j in range(i):
            s = s - a[i, j] * x[j]
        x[i] = s / a[i, i]

    # backward
    # L16: return np.sum(x**2)
    grad_x = 2.0 * x
    # L11: for i in range(n):
    grad_a = zeros_like(a)
    grad_b = zeros_like(b)
    for i in reversed(range(n)):
        # L15: x[i] = s / a[i, i]
        grad_numerator = grad_x[i] / a[i, i]
        grad_a[i, i] = -grad_numerator * x[i]
        # L13: for j in range(i):
        for j in reversed(range(i)):
            # L14: s = s - a[i, j] * x[j]
            grad_x[j] -= grad_numerator * a[i, j]
            grad_a[i, j] = -grad_numerator * x[j]
        # L12: s = b[i]
        grad_b[i] = grad_numerator
    return grad_a, grad_b
