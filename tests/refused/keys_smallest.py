"""The smallest key of a dict of values."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    terms = {"b": x[0], "a": x[1] * x[2]}
    first = min(terms)  # SG101
    return terms[first] * x[3]
