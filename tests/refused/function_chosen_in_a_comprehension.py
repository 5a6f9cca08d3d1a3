"""A comprehension that chooses its function by a number that only the run tells."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    steps = [np.sin, np.cos]
    return sum([steps[i](x[i]) for i in range(2)])  # SG101
