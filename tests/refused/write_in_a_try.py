"""A write into an array in a `try` that may fail after it, inside of a manager."""

import threading

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])
LOCK = threading.Lock()


def program(x):
    y = np.zeros(4)
    try:
        with LOCK:
            y[0] = x[0]  # SG101
            y[1] = x[7]  # SG101
    except IndexError:
        y[2] = np.sin(x[0] * x[1] + 2.0)
    return np.sum(y)
