"""A constant written into the real part of an array."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    y = x * 1.0
    y.real = 2.0  # SG102
    return np.sum(y * x)
