"""A slice of a list, between bounds that only the run tells, is replaced by another list."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    values = [v * v for v in x]
    first, last = len(x) - 3, len(x) - 1
    values[first:last] = [x[0]]  # SG102
    return values[1] * values[2]
