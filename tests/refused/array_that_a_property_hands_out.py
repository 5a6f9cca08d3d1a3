"""A write into the array that an object of the module keeps, and hands out by a property."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


class Kept:
    """Keeps an array."""

    def __init__(self):
        self._weights = np.array([1.0, 2.0, 3.0, 4.0])

    @property
    def weights(self):
        """The array itself."""
        return self._weights


KEPT = Kept()


def program(x):
    w = KEPT.weights
    w[0] = x[1]  # SG102
    return np.sum(KEPT.weights * x)
