"""An `except*`, which runs several handlers for one exception."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    y = x[0]
    try:  # SG101
        y = y * x[1]
    except* ValueError:
        y = x[2]
    return y
