"""An update of an array while a view of it is read later."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    y = x * 2.0
    flat = y.ravel()
    y *= 3.0  # SG102
    return np.sum(flat * flat)
