"""A method without a derivative rule."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    total = 0.0
    total = x.tolist()[0]  # SG110
    return total
