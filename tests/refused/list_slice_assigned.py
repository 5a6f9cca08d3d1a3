"""A slice of a list is replaced by a list of another length."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    values = [v * v for v in x]
    values[1:3] = [x[0]]  # SG102
    return values[1] * values[2]
