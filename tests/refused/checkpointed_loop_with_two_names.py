"""A checkpointed loop that writes into memory that has a second name."""

import numpy as np

import srcgrad as sg

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    u = x.copy()
    view = u[1:]
    for _ in sg.checkpointed(range(3)):  # SG102
        view[0] = np.sin(view[0])
        view = view * 2.0
    return np.sum(u * u) + np.sum(view)
