"""A name that is a list on one path and an entry of that list on another."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    found = [np.sin(x[:2])]
    if x[0] > 3.0:
        found.append(np.cos(x[:2]))
    out = found
    if len(found) == 1:  # SG102
        out = found[0]
    return np.sum(out)
