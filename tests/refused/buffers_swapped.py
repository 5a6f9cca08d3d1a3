"""Two buffers that change places in a loop and are written in place."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    old = x * 1.0
    new = np.zeros(4)
    for _ in range(3):
        for i in range(1, 3):
            new[i] = 0.5 * (old[i - 1] + old[i + 1]) * old[i]  # SG102
        old, new = new, old
    return np.sum(old * x)
