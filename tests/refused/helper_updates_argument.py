"""A helper that updates what it is given by an operator."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def doubled(b):
    b *= 2.0
    return b


def program(x):
    b = x * 1.0
    c = doubled(b)  # SG102
    return np.sum(b * c)
