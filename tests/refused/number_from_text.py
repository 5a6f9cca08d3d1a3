"""A number that is written out and read back."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    text = f"{x[0]:.17g}"
    scale = float(text.strip())  # SG101
    return np.sum(x) * scale
