"""A helper of another module that writes, by what the text of its caller cannot name."""

import numpy as np

from tests.programs.writers import rated

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    out = np.zeros(4)
    rated(out, x)  # SG102
    return np.sum(out**2)
