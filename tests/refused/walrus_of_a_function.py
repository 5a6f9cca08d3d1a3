"""An assignment expression that binds a name that meant a function."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    f = np.sin
    y = f(x)  # SG110
    if (f := x[0]) > 0.0:  # SG101
        y = y * f
    return np.sum(y)
