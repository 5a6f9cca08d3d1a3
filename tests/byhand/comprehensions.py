"""The gradient of `comprehensions` as one would write it by hand."""

import numpy as np


def gradient(masses, heights):
    p = 9.81 * masses * heights
    t = np.tanh(p)
    grad_p = t + p * (1 - t**2)
    return grad_p * 9.81 * heights, grad_p * 9.81 * masses
