"""A helper that writes into a global array, of which there is a view."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


LAST = np.zeros(4)
AGAIN = LAST[:]


def keep(v):
    LAST[0] = 1.0
    return v * 2.0


def program(x):
    y = keep(x)  # SG102
    return np.sum(y * AGAIN)
