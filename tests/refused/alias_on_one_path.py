"""A write into what another name may be."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    y = x * 1.0
    z = y if len(x) > 2 else x * 3.0
    y[0] = 7.0  # SG102
    return np.sum(z * z)
