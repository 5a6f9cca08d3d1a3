"""A helper of another module that writes and calls itself, into what has a second name."""

import numpy as np

from tests.programs.writers import counted_down

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    out = np.zeros(4)
    same = out
    counted_down(out, x, 2)  # SG102
    return np.sum(same**2)
