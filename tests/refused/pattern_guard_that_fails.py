"""A pattern whose name is read although its guard has failed."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    match len(x):
        case n if n > 10:  # SG101
            y = x[0]
        case _:
            y = x[1] * n
    return y
