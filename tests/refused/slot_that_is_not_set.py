"""A slot of an argument that nothing has set, read on a path that is not taken."""

import numpy as np


class Weights:
    __slots__ = ("bias", "w")

    def __init__(self, w):
        self.w = w


ARGUMENTS = (Weights(np.array([0.5, -1.2, 2.0, 0.7])),)


def program(weights):
    if weights.w[0] > 100.0:
        return weights.bias  # SG101
    return np.sum(weights.w * weights.w)  # SG101
