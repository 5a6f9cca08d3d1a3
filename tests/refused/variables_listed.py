"""A function that reads all variables around it."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    y = x * 2.0
    return np.sum(locals()["y"])  # SG101
