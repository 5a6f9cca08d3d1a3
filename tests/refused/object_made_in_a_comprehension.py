"""Objects that a comprehension makes of its elements, with `__init__` and without."""

from dataclasses import dataclass

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


@dataclass
class Point:
    value: float

    def squared(self):
        return self.value * self.value


def program(x):
    return sum([Point(v * 2.0).squared() for v in x])  # SG101
