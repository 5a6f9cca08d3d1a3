"""An assignment expression that changes what the same expression has read before."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    y = x[0]
    return y * (y := x[1] * y)  # SG101
