"""A function that is defined anew by each trip of a loop which also calls it."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    def step(v):  # SG101
        return np.sin(v) * v

    y = x
    for i in range(3):  # SG101
        y = step(y)

        def step(v):  # SG101
            return np.cos(v) * i

    return np.sum(y)
