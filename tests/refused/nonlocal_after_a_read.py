"""A call that changes a variable which the same expression may have read before."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    total = x[0]

    def added(v):  # SG101
        nonlocal total  # SG101
        total = total + v * v
        return total

    return total * (added(x[1]) if total > 0.0 else 1.0)  # SG101
