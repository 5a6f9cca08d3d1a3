"""Numbers that are kept as the keys of a dict, whose adjoints nobody keeps."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    total = 0.0
    for key, weight in {x[0]: 2.0, x[1]: 3.0}.items():  # SG101
        total += key * weight
    return total
