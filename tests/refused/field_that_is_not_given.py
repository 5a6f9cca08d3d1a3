"""A dataclass that is made without one of its fields."""

from dataclasses import dataclass

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


@dataclass
class Point:
    value: float
    weight: float


def program(x):
    if x[0] > 100.0:
        return np.sum(Point(x).value)  # SG101
    return np.sum(x)
