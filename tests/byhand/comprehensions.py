"""The gradient of `comprehensions` as one would write it by hand."""

import numpy as np


def gradient(masses, heights):
    grad_masses = np.zeros_like(masses)
    grad_heights = np.zeros_like(heights)
    for i, (m, h) in enumerate(zip(masses, heights)):
        p = m * 9.81 * h
        t = np.tanh(p)
        grad_p = t + p * (1 - t**2)
        grad_masses[i] = grad_p * 9.81 * h
        grad_heights[i] = grad_p * m * 9.81
    return grad_masses, grad_heights
