"""A spline whose knots vary: only its values and points have a derivative."""

import numpy as np
from scipy.interpolate import CubicSpline

VALUES = np.sin(np.arange(5.0))
X = np.array([0.0, 1.1, 2.0, 2.9, 4.2])


def program(x):
    s = CubicSpline(x, VALUES)  # SG101
    return s(1.5)  # SG110
