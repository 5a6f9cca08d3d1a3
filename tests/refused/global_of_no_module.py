"""A global that an inlined function reads, under the name of a local, in a module nobody imported."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])
SCALE = 3.0


class Scaled:
    def __init__(self, value):
        self.value = value * SCALE


def program(x):
    SCALE = x[0]
    return np.sum(Scaled(x).value) * SCALE  # SG101
