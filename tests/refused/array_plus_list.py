"""A list added to an array, which would be joined to another list."""

import numpy as np

X = np.array([0.5, -1.2])


def program(x):
    y = x + [1.0, 2.0]  # SG101
    return np.prod(y)
