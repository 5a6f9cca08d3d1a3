"""A context manager that is given a value with a derivative."""

import contextlib

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    with contextlib.nullcontext(x * 2.0) as y:  # SG101
        total = np.sum(y * x)
    return total
