"""The potential of bodies that attract each other, by a double loop."""

import numpy as np

import srcgrad as sg


def potential(positions, masses):
    total = 0.0
    for i in range(len(masses)):
        for j in range(len(masses)):
            if i != j:
                d = positions[i] - positions[j]
                total -= masses[i] * masses[j] / np.sqrt(d @ d + 0.01)
    return 0.5 * total


gradient = sg.grad(potential, argnums=(0, 1))


def example(rng):
    return rng.normal(size=(3, 2)), rng.uniform(1.0, 2.0, size=3)


# ---------------------------------------- the derivative ----------------------------------------

import numpy as np

from srcgrad.runtime import zeros_like


def potential_grad(positions, masses):
    """Gradient of `potential` (bodies.py:8) with respect to `positions`, `masses`.

    Taken for granted: positions.ndim == 2; masses.ndim == 1.
    """

    # backward
    # L10: for i in range(len(masses)):
    grad_masses = zeros_like(masses)
    grad_positions = zeros_like(positions)
    for i in reversed(range(len(masses))):
        # L11: for j in range(len(masses)):
        for j in reversed(range(len(masses))):
            # L12: if i != j:
            if i != j:
                d = positions[i] - positions[j]
                masses_i = masses[i]
                masses_j = masses[j]
                sqrt = np.sqrt(d @ d + 0.01)
                # L14: total -= masses[i] * masses[j] / np.sqrt(d @ d + 0.01)
                grad_numerator = -0.5 / sqrt
                grad_d = -grad_numerator * (masses_i * masses_j / sqrt) / sqrt * d
                grad_masses[j] += grad_numerator * masses_i
                grad_masses[i] += grad_numerator * masses_j
                # L13: d = positions[i] - positions[j]
                grad_positions[j] -= grad_d
                grad_positions[i] += grad_d
    return grad_positions, grad_masses
