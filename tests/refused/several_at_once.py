"""Everything that is refused comes together."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    y = x * 1.0
    global COUNT  # SG101
    COUNT = 1

    class Holder:  # SG101
        kept = y

    if COUNT > 1:
        global TOTAL  # SG101
        TOTAL = 0.0
    return np.sum(y)
