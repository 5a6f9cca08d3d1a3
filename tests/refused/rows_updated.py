"""An update of the rows that a loop yields."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    m = np.outer(x, x)
    for row in m:
        row *= 2.0  # SG102
    return np.sum(m * m)
