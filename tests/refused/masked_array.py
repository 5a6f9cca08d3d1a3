"""An array with a mask: the error says how to select instead."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    kept = np.ma.masked_array(x, x < 0.0)  # SG110
    return kept.mean()
