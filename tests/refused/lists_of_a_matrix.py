"""The lists in lists that `tolist` makes, how deep only the run tells."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    rows = np.outer(x, x).tolist()  # SG110
    return rows[0][1] * 2.0
