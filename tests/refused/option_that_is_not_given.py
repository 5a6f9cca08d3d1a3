"""An option that the call does not give."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def scaled(v, **options):
    return v * options.pop("scale")  # SG101


def program(x):
    if x[0] > 100.0:
        return np.sum(scaled(x, shift=1.0))  # SG101
    return np.sum(x)
