"""A derivative with respect to starred arguments."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])
OPTIONS = {"argnames": "values"}


def program(*values):  # SG101
    return np.sum(values[0] ** 2)
