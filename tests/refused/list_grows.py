"""A list that grows."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    found = []
    for i in range(4):
        found.append(x[i] ** 2)  # SG110
    return found[0]
