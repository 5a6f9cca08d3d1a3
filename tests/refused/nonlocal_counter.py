"""A `nonlocal` name, which another function sees change."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def counting():
    calls = 0

    def counted(x):  # SG102
        nonlocal calls  # SG101
        calls += 1
        return np.sum(x) * calls

    return counted


program = counting()
