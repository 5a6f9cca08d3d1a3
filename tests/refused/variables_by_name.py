"""A function that reads the variables around it by their names."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    y = eval("x * 2")  # SG101
    return np.sum(y)
