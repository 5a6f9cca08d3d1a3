"""A logarithm with `where=`, whose other elements are left as they were."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    y = np.log(x, where=x > 0.0, order="K")  # SG110
    return np.sum(y)
