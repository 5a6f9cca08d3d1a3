"""An import."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    total = 0.0
    import math  # SG101

    total = math.pi * x[0]
    return total
