"""A comprehension that unpacks a function and the rest of its tuple."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    terms = [(np.sin, (np.cos, 2.0)), (np.tanh, (np.exp, 3.0))]
    return sum([f(x[0]) * rest[0][1] for f, *rest in terms])  # SG101
