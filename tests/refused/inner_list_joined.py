"""A list taken out of a list and joined or repeated, which arithmetic would be for an array."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    rows = [[x * 3.0, x], [x * x]]
    both = rows[0] + rows[1]  # SG101
    return np.sum(both[2] * both[0])
