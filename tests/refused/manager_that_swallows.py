"""A context manager that swallows exceptions."""

import contextlib

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    total = x[0]
    with contextlib.suppress(IndexError):  # SG101
        total = total * x[1]
    return total
