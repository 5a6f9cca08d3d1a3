"""A context manager that swallows exceptions."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


class Swallowing:
    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        return kind is IndexError


def program(x):
    total = x[0]
    with Swallowing():  # SG101
        total = total * x[1]
    return total
