"""A text set beside an array that means its type: the same memory is read otherwise."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    y = np.sin(x)
    y.dtype = "float64"  # SG102
    return np.sum(y)
