"""A line whose letters take more than a byte: what is underlined is counted in letters."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(größe):
    return np.sum(größe * 2.0 + np.frombuffer(größe.tobytes()))  # SG101
