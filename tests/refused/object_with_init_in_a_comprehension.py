"""Objects with an `__init__` of their own that a comprehension makes."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


class Point:
    def __init__(self, value):
        self.value = 2.0 * value

    def squared(self):
        return self.value * self.value


def program(x):
    return sum([Point(v).squared() for v in x])  # SG101
