"""A list of lists of arrays, of which one grows while it is in the other."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    rows = [[x * 2.0], [x * 3.0]]
    rows[0].append(x * x)  # SG102
    return np.sum(rows[0][1] * rows[1][0])
