"""A result that is put into an array of the caller."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    y = x * 1.0
    z = np.multiply(x, y, out=y)  # SG102
    return np.sum(y * z)
