"""An object that is kept in a dict."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


class Point:
    def __init__(self, value):
        self.value = value


def program(x):
    points = {}
    points["a"] = Point(x)  # SG101
    return np.sum(points["a"].value)  # SG101
