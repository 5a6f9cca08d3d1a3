"""Managers that are entered one by one, into a stack that may swallow exceptions."""

import contextlib

import numpy as np

X = np.array([0.5, -1.2, 2.0, 0.7])


def program(x):
    with contextlib.ExitStack() as stack:  # SG101
        y = stack.enter_context(contextlib.nullcontext(x * 2.0))
        total = np.sum(y * x)
    return total
