"""A write into an argument."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    x[0] = 2.0 * x[1]  # SG102
    return np.sum(x * x)
