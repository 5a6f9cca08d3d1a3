"""A `return` in `finally`, which swallows exceptions."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    y = x[0]
    try:
        y = y * x[1]
    finally:
        return y  # SG101
