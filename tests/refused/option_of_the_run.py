"""An option whose name only the run tells."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def scaled(v, name, **options):
    return v * options.get(name, 1.0)  # SG101


def program(x):
    name = "up" if x[0] > 0.0 else "down"
    return np.sum(scaled(x, name, up=x[0], down=x[1]))  # SG102
