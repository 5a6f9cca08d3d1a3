"""A loop over an iterator, which is used up."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    total = 0.0
    for v in np.nditer(x):  # SG101
        total = total + v * v
    return total
