"""A bound method of an object that is kept in a dict."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


class Layer:
    def __init__(self, scale):
        self.scale = scale

    def run(self, v):
        return v * self.scale


def program(x):
    table = {}
    table["run"] = Layer(x[0]).run  # SG101
    return np.sum(table["run"](x))  # SG110
