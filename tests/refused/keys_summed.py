"""The sum of the keys of a dict of values."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    terms = {1: x[0], 2: x[1] * x[2]}
    count = sum(terms)  # SG101
    return terms[1] * count
