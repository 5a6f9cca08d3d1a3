"""A function that returns one value here and two there."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):  # SG101
    if x[0] > 0.0:
        return np.sum(x), x
    return np.sum(x), x, 1.0
