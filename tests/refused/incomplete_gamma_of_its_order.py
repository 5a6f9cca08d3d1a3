"""The order of an incomplete gamma function, in which its slope is not known."""

import numpy as np
import scipy.special

X = np.array([0.5, 1.2, 2.0, 0.7])


def program(x):
    return np.sum(scipy.special.gammainc(x, 2.0))  # SG110
