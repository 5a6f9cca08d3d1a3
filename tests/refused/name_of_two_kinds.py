"""A variable that is a number first, and a list later."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    a = 2.0  # SG101
    b = x * a
    a = [b, x]
    return np.sum(a[0]) * np.sum(a[1])
