"""A name that may be read after its `del`."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    y = x * 2.0
    if x[0] > 100.0:
        del y  # SG101
    return np.sum(y)
