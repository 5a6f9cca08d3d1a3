"""A scattered quotient without its rest."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    y = x * 2.0
    np.floor_divide.at(y, [0, 0, 1], x[:3])  # SG110
    return np.sum(y * y)
