"""A nested function."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    total = 0.0
    def square(v):  # SG101
        return v * v

    total = square(x[0])
    return total
