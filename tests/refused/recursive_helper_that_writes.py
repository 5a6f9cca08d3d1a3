"""A function that writes into the argument itself, and calls itself."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def doubled(u, n):
    u[n] *= 2.0
    if n > 0:
        doubled(u, n - 1)


def program(x):
    doubled(x, 2)  # SG102
    return np.sum(x * x)
