"""An attribute that nothing has set, read on a path that is not taken."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


class Point:
    def __init__(self, value):
        self.value = value


def program(x):
    point = Point(x)  # SG110
    if x[0] > 100.0:
        return point.weight * x[0]  # SG101
    return np.sum(point.value)  # SG101
