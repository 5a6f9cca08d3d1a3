"""A write through a property of an argument that is differentiated."""

import numpy as np


class Weights:
    def __init__(self, w):
        self.w = w

    @property
    def doubled(self):
        return self.w * 2.0

    @doubled.setter
    def doubled(self, value):
        self.w = value / 2.0


ARGUMENTS = (Weights(np.array([0.5, -1.2, 2.0, 0.7])),)


def program(weights):
    weights.doubled = weights.w * 2.0  # SG101
    return np.sum(weights.w**2)  # SG101
