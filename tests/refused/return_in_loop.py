"""A `return` inside a loop."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    total = 0.0
    for v in x:
        total = total + v
        if total > 100.0:
            return total  # SG101
    return total
