"""An argument that is an object of arrays, kept in a dict."""

import numpy as np


class Weights:
    def __init__(self, w):
        self.w = w


ARGUMENTS = (Weights(np.array([0.5, -1.2, 2.0, 0.7])),)


def program(weights):
    kept = {}
    kept["weights"] = weights  # SG101
    return np.sum(kept["weights"].w ** 2)  # SG101
