"""An assignment expression in a generator, which runs while others take what it gives."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    y = x[0]
    return y * sum((y := x[1] * v) for v in x)  # SG101
