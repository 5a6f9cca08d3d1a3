"""A global with a name that the generated text needs."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def unbroadcast(v, w):
    return v


def program(x):  # SG101
    y = x * x[:1]
    return np.sum(y) + unbroadcast(1.0, 2.0)
