"""An update of an array that has two names."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    y = x * 1.0
    z = y
    y *= 2.0  # SG102
    return np.sum(y * z)
