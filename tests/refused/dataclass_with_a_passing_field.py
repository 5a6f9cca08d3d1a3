"""A dataclass with a field that is only passed to `__post_init__`."""

from dataclasses import InitVar, dataclass

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


@dataclass
class Scaled:
    value: float
    scale: InitVar[float]

    def __post_init__(self, scale):
        self.value = self.value * scale


def program(x):
    return np.sum(Scaled(x, 2.0).value)  # SG101
