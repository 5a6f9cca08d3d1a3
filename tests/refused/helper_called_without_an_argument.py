"""A recursive helper that is called without one of its arguments, on a path that is not taken."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def power(u, n):
    if n > 0:
        return power(u, n - 1) * u
    return u


def program(x):
    if x[0] > 1.0:
        return power(x[0])  # SG101
    return power(x[1], 2)
