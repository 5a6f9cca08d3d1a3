"""A slice of a list of functions with a step that only the run tells."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    steps = [np.sin, np.cos, np.tanh]
    width = 1 + int(x[1] > 0)
    return sum(step(x[0]) for step in steps[::width])  # SG101
