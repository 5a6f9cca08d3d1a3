"""A write into an attribute of an argument that is differentiated."""

import numpy as np


class Weights:
    def __init__(self, w):
        self.w = w


ARGUMENTS = (Weights(np.array([0.5, -1.2, 2.0, 0.7])),)


def program(weights):
    weights.w = weights.w * 2.0  # SG101
    return np.sum(weights.w**2)  # SG101
