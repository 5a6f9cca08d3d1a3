"""A parameter of a hypergeometric function, in which its slope is not known."""

import numpy as np
import scipy.special

X = np.array([0.5, 1.2, 2.0, 0.7])


def program(x):
    return np.sum(scipy.special.hyp1f1(x, 2.0, 0.3))  # SG110
