"""A function that writes into its argument, which has a second name, and calls itself."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def doubled(u, n):
    u[n] *= 2.0
    if n > 0:
        doubled(u, n - 1)


def program(x):
    y = x * 1.0
    tail = y[1:]
    doubled(y, 2)  # SG102
    return np.sum(y * y) + tail[0]
