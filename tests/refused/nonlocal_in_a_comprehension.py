"""A function that changes its caller's variable, called in a comprehension."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    total = x[0]

    def added(v):  # SG101
        nonlocal total  # SG101
        total = total + v * v
        return total

    return sum([added(v) for v in x])  # SG101
