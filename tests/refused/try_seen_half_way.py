"""A value read after an inner `try` failed half-way, whose handler goes on to raise something else."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    y = x * 1.0
    try:  # SG101
        for k in range(3):
            try:
                y = y * x
                z = y[k + 2] * 2.0
            except IndexError:
                y = y + 1.0
                raise ValueError("too far") from None
            y[0] = z
    except ValueError:
        y = y * 2.0
    return np.sum(y)
