"""A list of lists, of which one grows while it is in the other."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    rows = [[x[0]], [x[1]]]
    rows[0].append(x[2])  # SG102
    return rows[0][1] * rows[1][0]
