"""A helper that writes into what it is given."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def fill(b, v):
    b[0] = v
    return b


def program(x):
    b = np.ones(4)
    c = fill(b, x[1])  # SG102
    return np.sum(b * c)
