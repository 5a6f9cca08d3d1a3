"""An update of an entry of a dict, which may be a number or write into an array with another name."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    b = x * 1.0
    kept = {"b": b, "n": np.sum(x)}
    for key in ("b", "n"):
        kept[key] *= 2.0  # SG102
    return np.sum(b * b) * kept["n"]
