"""A function of SciPy that has no rule: what is refused is the call, not a line inside SciPy."""

import numpy as np
from scipy import ndimage

X = np.array([0.5, -1.2])


def program(x):
    return np.sum(ndimage.grey_erosion(x, 3))  # SG110
