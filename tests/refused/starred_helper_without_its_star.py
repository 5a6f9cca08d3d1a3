"""A recursive helper that hands on its starred parameters as one tuple."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def product(*values):
    return values[0] * product(values[1:]) if len(values) > 1 else values[0]  # SG101


def program(x):
    return np.sum(product(x[0], x[1]))  # SG101
