"""An update of an array without axes, which is written in place under both of its names."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    t = np.where(x[0] > 0.1, x[1], 0.3)
    u = t
    t *= x[2]  # SG102
    return t * u
