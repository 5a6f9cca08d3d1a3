"""A NumPy function that writes into its argument."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    m = np.outer(x, x)
    np.fill_diagonal(m, 0.0)  # SG110
    return np.sum(m * m)
