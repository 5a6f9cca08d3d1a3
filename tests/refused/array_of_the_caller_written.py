"""A write into an array that the caller keeps in a list, which is turned round."""

import numpy as np

X = [np.array([0.5, -1.2, 2.0, 0.7])]


def program(arrays):
    first = arrays[0]
    first[0] = 2.0  # SG102
    return np.sum(arrays[::-1][0] ** 2)
