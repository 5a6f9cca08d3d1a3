"""An array that is written while a list holds it."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    a = np.zeros(4)
    held = [None] * 4
    for i in range(4):
        a[i] = x[i] ** 2  # SG102
        held[i] = a  # SG102
    return np.sum(held[0])
