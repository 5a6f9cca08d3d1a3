"""A recursion that hands on a function which grows with every call."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def halved(u, then):
    if u < 0.1:
        return then(u)
    return halved(u * 0.5, lambda v: then(v) * u) * u  # SG101


def program(x):
    return halved(x[0], lambda v: v) + np.sum(x)  # SG102
