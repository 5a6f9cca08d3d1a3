"""A function from outside that changes a variable of the function that made it."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def counting():
    count = 0.0

    def applied(function, v):
        nonlocal count
        count += 1.0
        return function(v) * count

    return applied


applied = counting()


def program(x):
    return np.sum(applied(np.sin, x))  # SG101
