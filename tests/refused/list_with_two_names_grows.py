"""A list that grows under one of its two names."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    values = [x[0], x[1]]
    same = values
    same.append(x[2])  # SG102
    return values[2] * values[0]
