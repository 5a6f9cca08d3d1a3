"""A pattern of a class with a position, whose attribute is named elsewhere."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


class Point:
    __match_args__ = ("first", "second")

    def __init__(self, first, second):
        self.first = first
        self.second = second


PLACE = Point(0, 1)


def program(x):
    match PLACE:
        case Point(i, j):  # SG101
            y = x[i] * x[j]
        case _:
            y = x[0]
    return y
