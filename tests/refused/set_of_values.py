"""A set of values with derivatives."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    different = {x[0] * 2.0, x[1]}  # SG101
    return sum(different)
