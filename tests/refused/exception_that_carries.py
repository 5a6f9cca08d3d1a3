"""A value that is handed on by an exception."""

import numpy as np

X = np.array([0.5, -1.2])


def program(x):
    try:
        raise ValueError(x[0] * 2)
    except ValueError as error:
        y = error.args[0]  # SG101
    return y * x[1]
