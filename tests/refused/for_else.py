"""A loop with `else`."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    total = 0.0
    for v in x:
        total = total + v
    else:
        total = total * 2.0  # SG101
    return total
