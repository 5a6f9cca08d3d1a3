"""A `match`."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    total = 0.0
    match len(x):  # SG101
        case 4:
            total = x[0]
    return total
