"""A method that changes a list of functions."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    steps = [np.sin, np.cos]
    steps.reverse()  # SG101
    return steps[0](x[0]) + steps[1](x[1])  # SG110
