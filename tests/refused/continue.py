"""A `continue`."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    total = 0.0
    for v in x:
        if v > 1.0:
            continue  # SG101
        total = total + v
    return total
