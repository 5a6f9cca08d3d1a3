"""A write into an array in a `try` that may fail after it, and whose long handler reads the exception."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    y = np.zeros(4)
    try:
        y[0] = x[0]  # SG101
        y[1] = x[7]
    except IndexError as problem:
        y[2] = np.sin(x[0] * x[1] + 2.0)
        y[3] = np.cos(x[0] * x[2] - 1.0)
        y *= 2.0
        print("missing", problem)
    return np.sum(y)
