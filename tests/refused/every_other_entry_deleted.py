"""A `del` of a section with a step of a list of values."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    values = [v * v for v in x]
    del values[::2]  # SG101
    return values[1] * values[0]
