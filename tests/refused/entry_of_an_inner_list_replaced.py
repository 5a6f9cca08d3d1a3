"""A list of lists of arrays, one of which is replaced."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    rows = [[x * 2, x**2], [x * 3, x**3]]
    rows[0][1] = rows[1][0] * x  # SG102
    return np.sum(rows[0][1] * rows[1][0])
