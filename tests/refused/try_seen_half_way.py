"""A value read after its `try` has failed half-way, whose long handler reads the exception, too."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    y = x[0]
    try:  # SG101
        y = y * 2.0
        z = y * x[7]
    except IndexError as problem:
        z = x[1]
        for factor in (0.5, 0.25):
            if z > 1.0:
                z = z * np.sin(factor + z)
            else:
                z = z + np.cos(factor - z)
        print("missing", problem)
    return y * z
