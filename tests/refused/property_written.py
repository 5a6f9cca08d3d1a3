"""A write into a property."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


class Square:
    def __init__(self, side):
        self.side = side

    @property
    def double(self):
        return 2.0 * self.side

    @double.setter
    def double(self, value):
        self.side = value / 2.0


def program(x):
    square = Square(x)  # SG110
    square.double = x * x  # SG101
    return np.sum(square.side)  # SG101
