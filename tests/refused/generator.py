"""A generator expression."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    total = 0.0
    total = sum(v * v for v in x)  # SG101
    return total
