"""A write into an argument under another name."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    y = x
    y[0] = x[1] * x[2]  # SG102
    return np.sum(x)
