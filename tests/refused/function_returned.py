"""A function that returns a function."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):  # SG101
    return lambda: np.sum(x)  # SG101
