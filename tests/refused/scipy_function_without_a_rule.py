"""A function of SciPy that has no rule: what is refused is the call, not a line inside SciPy."""

import numpy as np
from scipy import special

X = np.array([0.5, -1.2])


def program(x):
    return np.sum(special.mathieu_a(1, x))  # SG110
