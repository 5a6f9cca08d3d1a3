"""A write through a view, whose base is read later."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    y = x * 1.0
    tail = y[1:]
    tail[0] = x[0] ** 2  # SG102
    return np.sum(y * y)
