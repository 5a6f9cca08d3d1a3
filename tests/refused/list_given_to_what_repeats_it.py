"""A helper that repeats a list, where it is compiled as if it multiplied an array."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def twice(xs):
    both = xs * 2
    return both[-1] * both[0]


def program(x):
    one = twice([x * 3.0, x])  # SG101
    other = twice([x, x * 2.0])  # SG101
    return np.sum(one * other * x)
