"""Knows an array of another module by a name of its own."""

import numpy as np

from tests.traps.kept_table import TABLE as SAME


def total():
    return np.sum(SAME**2)
