"""An update of a reshaped view, whose base is read later."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    y = x * 2.0
    square = y.reshape(2, 2)
    square *= 3.0  # SG102
    return np.sum(y * y)
