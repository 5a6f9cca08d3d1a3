"""A helper that copies a list and updates an entry, an array that both lists share."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def scaled(xs, by):
    xs = xs.copy()
    xs[0] *= by
    return xs[0] * xs[1]


def program(x):
    xs = [x * 1.0, x * 2.0]
    one = scaled(xs, 3.0)  # SG101
    other = scaled(xs, x)  # SG101
    return np.sum(one * other * xs[0])
