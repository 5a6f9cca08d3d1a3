"""A write into an entry of a list that holds one array several times."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    ys = [np.ones(4)] * 2
    ys[0][1] = x[0]  # SG102
    ys[1][2] = x[1]  # SG102
    return np.sum(ys[0] * ys[1])
