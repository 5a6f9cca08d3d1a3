"""A call without an argument that the function needs."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    def scaled(v, scale):  # SG101
        return v * scale

    if x[0] > 100.0:
        return np.sum(scaled(x))  # SG101
    return np.sum(scaled(x, 2.0))
