"""What `checkpointed` returns, used elsewhere than as the head of a loop."""

import numpy as np

import srcgrad as sg

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    for i, _ in enumerate(sg.checkpointed(range(3))):  # SG101
        x = x * i
    return np.sum(x * x)
