"""A checkpointed loop whose trips are not the same when they are run again."""

import numpy as np

import srcgrad as sg

X = np.array([0.5, -1.2, 2.0, 0.7])
rng = np.random.default_rng(0)


def program(x):
    for _ in sg.checkpointed(range(3)):  # SG101
        x = x + rng.normal(size=4)
    return np.sum(x * x)
