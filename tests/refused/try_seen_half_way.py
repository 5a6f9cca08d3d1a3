"""A value read after a `try` failed half-way, inside of a manager."""

import threading

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])
LOCK = threading.Lock()


def program(x):
    y = x * 1.0
    z = x[1]
    try:  # SG101
        with LOCK:
            y = y * 2.0
            z = y[0] * x[7]
    except IndexError:
        z = x[2]
    return np.sum(y * z)
