"""A solver that is called in a comprehension, where its numbers cannot be named."""

import numpy as np
from scipy import optimize

X = np.array([0.7, 1.3])


def program(x):
    found = [
        optimize.root(  # SG101
            lambda y, b: y + y**3 - b, np.zeros(2), args=(x * k,)
        ).x
        for k in range(2)
    ]
    return np.sum(found[0] * found[1])
