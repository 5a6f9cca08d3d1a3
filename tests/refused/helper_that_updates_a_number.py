"""A recursive helper that updates its parameter, which may be an array."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def power(u, n):
    u *= 2.0
    return power(u, n - 1) * u if n > 0 else u


def program(x):
    return power(x[0], 2)  # SG102
