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

from srcgrad.runtime import unbroadcast, zeros_like


def solution_grad(a, b):
    """Gradient of `solution` (triangular.py:8) with respect to `a`, `b`.

    Taken for granted: b.ndim == 1.
    """
    n = len(b)
    x = np.zeros(n)
    steps_2 = []
    for i in range(n):
        s = b[i]
        steps = []
        for j in range(i):
            a_part = a[i, j]
            x_j = x[j]
            a_times_x_j = a_part * x_j
            s_2 = s - a_times_x_j
            steps.append((x_j, a_times_x_j, s))
            s = s_2
        a_part_2 = a[i, i]
        s_over_a = s / a_part_2
        x[i] = s_over_a
        steps_2.append((s, steps, s_over_a))

    # backward
    # L16: return np.sum(x**2)
    grad_x = 2 * x
    # L11: for i in range(n):
    grad_a = zeros_like(a)
    grad_b = zeros_like(b)
    for i in reversed(range(n)):
        s, steps, s_over_a = steps_2.pop()
        a_part_2 = a[i, i]
        # L15: x[i] = s / a[i, i]
        grad_s_over_a = grad_x[i]
        grad_s = unbroadcast(grad_s_over_a / a_part_2, s)
        grad_a[i, i] += unbroadcast(-grad_s_over_a * s_over_a / a_part_2, a_part_2)
        # L13: for j in range(i):
        for j in reversed(range(i)):
            x_j, a_times_x_j, s = steps.pop()
            a_part = a[i, j]
            # L14: s = s - a[i, j] * x[j]
            grad_s_3 = grad_s
            grad_s = unbroadcast(grad_s_3, s)
            grad_a_times_x_j = unbroadcast(-grad_s_3, a_times_x_j)
            grad_a_part = grad_a_times_x_j * x_j
            grad_x[j] += unbroadcast(grad_a_times_x_j * a_part, x_j)
            grad_a[i, j] += grad_a_part
        # L12: s = b[i]
        grad_b[i] += grad_s
    return grad_a, grad_b
