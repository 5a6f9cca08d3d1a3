"""A loop over an iterator beside an array: the one is used up, the other read by index."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    weights = iter([1.0, 2.0, 3.0, 4.0])
    total = 0.0
    for w, v in zip(weights, x):  # SG101
        total = total + w * v * v
    return total
