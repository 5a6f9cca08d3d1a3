"""A call with starred arguments."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    total = 0.0
    total = np.sum(*(x,))  # SG110
    return total
