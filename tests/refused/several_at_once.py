"""Everything that is refused comes together."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    y = x * 1.0
    with np.errstate(all="ignore"):  # SG101
        y = np.sqrt(y)
    try:  # SG101
        z = y * y
    except ValueError:
        z = y
    del y  # SG101
    return np.sum(z)
