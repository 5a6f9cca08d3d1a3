"""A swap of rows, which are views."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    m = np.outer(x, x + 1.0)
    m[0], m[1] = m[1], m[0]  # SG102
    return np.sum(m)
