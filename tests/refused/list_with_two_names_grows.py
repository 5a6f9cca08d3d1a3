"""A list that grows under one of its two names, of which one is bound anew."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    values = [x[0], x[1]]
    same = values if np.sum(x) > 0 else [x[3]]
    same.append(x[2])  # SG102
    return values[1] * values[0] * same[1]
