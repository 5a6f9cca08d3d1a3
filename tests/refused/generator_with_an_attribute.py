"""A generator inside of the function that is kept as a value."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    def squares():  # SG101
        squares.calls += 1
        yield x[0] * x[1]  # SG101
        yield from (x[2], x[3])  # SG101

    squares.calls = 0  # SG101
    return sum(squares())
