"""A list comprehension."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    total = 0.0
    squares = [v * v for v in x]  # SG101
    total = squares[0]
    return total
