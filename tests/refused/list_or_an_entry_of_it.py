"""A name that is a list which a loop makes on one path, and an entry of that list on another."""

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    found = []
    for v in x:
        found.append(np.sin(v))  # noqa: PERF401 - a list that grows
    out = found
    if len(found) == 4:  # SG102
        out = found[0]
    return out
