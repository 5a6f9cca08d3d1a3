"""A pattern that takes the rest of a dict."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    terms = {"scale": 2.0, "first": x[0]}
    match terms:
        case {"scale": scale, **rest}:  # SG101
            y = rest["first"] * scale
        case _:
            y = x[1]
    return y
