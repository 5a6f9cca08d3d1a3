"""The gradient of `least_squares` as one would write it by hand."""

import numpy as np


def gradient(a, x, b):
    r = a @ x - b
    return np.outer(r, x), r @ a, -r
