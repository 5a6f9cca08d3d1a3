"""A sum of a generator over a list that a comprehension has made."""

import numpy as np

import srcgrad as sg


def energy(masses, heights):
    potentials = [m * 9.81 * h for m, h in zip(masses, heights)]
    return sum(np.tanh(p) * p for p in potentials)


gradient = sg.grad(energy, (0, 1))


def example(rng):
    return rng.uniform(size=4), rng.uniform(size=4)


# ---------------------------------------- the derivative ----------------------------------------

import numpy as np

from srcgrad.runtime import zeros_like


def energy_grad(masses, heights):
    """Gradient of `energy` (comprehensions.py:8) with respect to `masses`, `heights`.

    Taken for granted: masses.ndim == 1; heights.ndim == 1.
    """
    potentials = []
    count = min(len(masses), len(heights))
    for i in range(count):
        m = masses[i]
        h = heights[i]
        potentials.append(m * 9.81 * h)

    # backward
    # L10: return sum(np.tanh(p) * p for p in potentials)
    grad_potentials = zeros_like(potentials)
    for i_2 in reversed(range(len(potentials))):
        p = potentials[i_2]
        tanh_p = np.tanh(p)
        grad_potentials[i_2] += tanh_p + p * (1 - tanh_p * tanh_p)
    # L9: potentials = [m * 9.81 * h for m, h in zip(masses, heights)]
    grad_heights = zeros_like(heights)
    grad_masses = zeros_like(masses)
    for i in reversed(range(count)):
        h = heights[i]
        product_2 = masses[i] * 9.81
        grad_product = grad_potentials.pop()
        grad_heights[i] = grad_product * product_2
        grad_masses[i] = grad_product * h * 9.81
    return grad_masses, grad_heights
