"""A class that is defined inside of the function and reads what is around it."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    class Scaled:  # SG101
        factor = x[0]

    return np.sum(x * Scaled.factor)
