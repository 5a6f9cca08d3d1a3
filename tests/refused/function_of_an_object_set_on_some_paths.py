"""An object whose function is another one on one path."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


class Layer:
    def __init__(self, function):
        self.function = function

    def run(self, v):
        return self.function(v)


def program(x):
    layer = Layer(np.sin)
    if x[0] > 0.0:
        layer.function = np.cos  # SG101
    return np.sum(layer.run(x))  # SG110
