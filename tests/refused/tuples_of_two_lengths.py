"""A function that returns one value here and two there."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def sums(x):
    if x[0] > 0.0:
        return np.sum(x), x  # SG101
    return np.sum(x), x, 1.0


def program(x):
    found = sums(x)
    return found[0] * 2.0
