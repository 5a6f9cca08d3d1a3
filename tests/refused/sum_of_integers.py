"""A calculation in integers of values with derivatives."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    return np.sum(x, dtype=int) * 1.0  # SG110
