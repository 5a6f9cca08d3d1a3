"""The gradient of `bodies` as one would write it by hand."""

import numpy as np


def gradient(positions, masses):
    grad_positions = np.zeros_like(positions)
    grad_masses = np.zeros_like(masses)
    for i in range(len(masses)):
        for j in range(len(masses)):
            if i != j:
                d = positions[i] - positions[j]
                r = np.sqrt(d @ d + 0.01)
                grad_masses[i] -= 0.5 * masses[j] / r
                grad_masses[j] -= 0.5 * masses[i] / r
                grad_d = 0.5 * masses[i] * masses[j] / r**3 * d
                grad_positions[i] += grad_d
                grad_positions[j] -= grad_d
    return grad_positions, grad_masses
