"""A method that works in place."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    y = x * x
    y.sort()  # SG110
    return np.sum(y * np.arange(4.0))
