"""A value of a class that is read through `super()`."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


class Base:
    scale = 2.0


class Derived(Base):
    scale = 3.0

    def __init__(self, value):
        self.value = value

    def scaled(self):
        return self.value * super().scale  # SG101


def program(x):
    return np.sum(Derived(x).scaled())  # SG110
