"""A list of functions that grows on one path only."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    steps = [np.sin]
    if x[0] > 0.0:
        steps.append(np.cos)  # SG101
    return sum(step(x[1]) for step in steps)  # SG110
