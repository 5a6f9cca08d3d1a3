"""A result that is put into an array given by position."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    y = np.zeros(4)
    z = np.add(x, x, y)  # SG110
    return np.sum(y * z)
