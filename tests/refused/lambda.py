"""A local lambda."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    total = 0.0
    square = lambda v: v * v
    total = square(x[0])  # SG110
    return total
