"""A recursion that packs its arguments into one more tuple with every call."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def product(*values):
    if len(values) > 1:
        return product(values)  # SG101
    return np.prod(values[0])


def program(x):
    return product(x[0], x[1]) * x[2]  # SG101
