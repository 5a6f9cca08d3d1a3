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

from srcgrad.runtime import matmul_left, matmul_right, scalar_seed, zeros_like


def potential_grad(positions, masses):
    """Gradient of `potential` (bodies.py:8) with respect to `positions`, `masses`."""
    total = 0.0
    steps_saved = []
    for i in range(len(masses)):
        steps = []
        for j in range(len(masses)):
            test = i != j
            if test:
                d = positions[i] - positions[j]
                masses_i = masses[i]
                masses_j = masses[j]
                sqrt = np.sqrt(d @ d + 0.01)
                ratio = masses_i * masses_j / sqrt
                total -= ratio
                steps.append((d, sqrt, ratio))
        steps_saved.append(steps)

    # backward
    # L15: return 0.5 * total
    grad_total = scalar_seed(0.5 * total) * 0.5
    # L10: for i in range(len(masses)):
    grad_masses = zeros_like(masses)
    grad_positions = zeros_like(positions)
    for i in reversed(range(len(masses))):
        steps = steps_saved.pop()
        # L11: for j in range(len(masses)):
        for j in reversed(range(len(masses))):
            test = i != j
            # L12: if i != j:
            if test:
                d, sqrt, ratio = steps.pop()
                masses_i = masses[i]
                masses_j = masses[j]
                # L14: total -= masses[i] * masses[j] / np.sqrt(d @ d + 0.01)
                grad_ratio = -grad_total
                grad_product = grad_ratio / sqrt
                grad_total_2 = 0.5 * (-grad_ratio * ratio / sqrt) / sqrt
                grad_d = matmul_left(grad_total_2, d, d)
                grad_d = grad_d + matmul_right(grad_total_2, d, d)
                grad_masses[j] += grad_product * masses_i
                grad_masses[i] += grad_product * masses_j
                # L13: d = positions[i] - positions[j]
                grad_positions[j] -= grad_d
                grad_positions[i] += grad_d
    return grad_positions, grad_masses
