"""A smoothing spline, whose knots jump as its values vary."""

import numpy as np
from scipy.interpolate import UnivariateSpline

X = np.array([0.0, 1.1, 2.0, 2.9, 4.2])


def program(x):
    s = UnivariateSpline(np.arange(5.0), np.sin(x))  # SG101
    return s(1.5)  # SG110
