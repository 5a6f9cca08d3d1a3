"""A loop over the keys of a dict."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


ARGUMENTS = ({"a": X, "b": X},)


def program(params):
    total = 0.0
    for key in params:  # SG101
        total = total + np.sum(params[key] ** 2)
    return total
