"""A variable that is a list on one path and an array on the other, where it is read."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    parts = [x[0], x[1]]
    if x[2] > 1.0:
        parts = np.sin(x)  # SG101
    total = 0.0
    for part in parts:
        total = total + part * part
    return total
