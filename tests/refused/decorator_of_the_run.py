"""A decorator that is no function which is known before the run."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    @np.errstate(all="ignore")
    def root(v):  # SG101
        return np.sqrt(v * v)

    return np.sum(root(x))
