"""Two lists joined by an operator."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    found = []
    for i in range(4):
        found += [x[i] ** 2]  # SG101
    return found[0]
