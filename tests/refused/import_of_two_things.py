"""Imports that give one name two meanings."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    if len(x) > 3:
        from numpy import sin as f  # SG101
    else:
        from numpy import cos as f  # SG101
    return np.sum(f(x))
