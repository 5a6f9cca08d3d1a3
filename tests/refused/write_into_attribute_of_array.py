"""A write into the transpose."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    m = np.outer(x, x)
    m.T[0] = x  # SG102
    return np.sum(m * m)
