"""An update of an entry of a list, which is a number or writes into an array with another name."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    a = x * 1.0
    pair = [a, np.sum(x)]
    for i in range(2):
        pair[i] *= 2.0  # SG102
    return np.sum(a) * pair[1]
