"""The list of the elements of a matrix, which is one of lists."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    y = np.outer(x, x)
    return y.tolist()[0][1]  # SG110
