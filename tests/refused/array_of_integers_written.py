"""A value with a derivative that is stored into an array of integers."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    y = np.arange(4)
    y[1:] = x[1:]  # SG102
    return np.sum(y * x)
