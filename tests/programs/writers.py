"""Functions that write into their arguments by functions of their own module; no programs."""

import math

import numpy as np

RATE = 2.0
TABLE = np.array([0.5, 0.7, 1.5])


def soft(x):
    """Return one of the ways to soften; the callers mean another by its name."""
    y = np.exp(-x)
    if np.sum(y) > 1e6:
        y = y * 2
    return 1.0 / (1.0 + y)


def put(out, x):
    """Write the squares of `x`."""
    for i in range(len(x)):
        out[i] = x[i] ** 2


def twice(out):
    """Double what is there."""
    out *= 2.0


def step(out, x, k):
    """Write by others of this module, and by what it imports."""
    put(out, soft(x))
    twice(out)
    out += np.tanh(x) * math.sqrt(k)


def rated(out, x):
    """Read a number of this module."""
    put(out, x)
    out *= RATE


def counted_down(out, x, n):
    """Call itself."""
    if n > 0:
        put(out, x * n)
        counted_down(out, x + out, n - 1)
