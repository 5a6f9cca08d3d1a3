"""A function inside of the function that counts its calls in an attribute."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    def scaled(v):  # SG101
        scaled.calls += 1
        return v * x[1]

    scaled.calls = 0  # SG101
    return scaled(x[2]) * scaled.calls
