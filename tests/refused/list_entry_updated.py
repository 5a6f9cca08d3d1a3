"""An update of an entry of a list, which writes into the array that has another name."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    a = x * 1.0
    pair = [a, x * 2.0]
    pair[0] *= 2.0  # SG102
    return np.sum(a * pair[1])
