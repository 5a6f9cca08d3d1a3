"""An update of an entry of a dict, which writes into the array that has another name."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    b = x * 1.0
    kept = {"b": b}
    kept["b"] *= 2.0  # SG102
    return np.sum(b * b) * len(kept)
