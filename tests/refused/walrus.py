"""An assignment expression."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    total = 0.0
    total = (y := x[0] * x[1]) * y  # SG101
    return total
