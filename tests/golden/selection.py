"""Selections: what is not selected contributes nothing, however steep it is there."""

import numpy as np

import srcgrad as sg


def energy(x, v):
    root = np.where(x > 0, np.sqrt(x), 0)
    length = np.sqrt(np.sum(v * v, axis=-1, keepdims=True))
    unit = np.where(length > 0, v / length, 0)
    return np.sum(root) + np.sum(unit * v[::-1])


gradient = sg.grad(energy, argnums=(0, 1))


def example(rng):
    return rng.uniform(0.5, 2.0, size=5), rng.normal(size=(3, 2))


# ---------------------------------------- the derivative ----------------------------------------

import numpy as np

from srcgrad.runtime import kept_if, zeros_like


def energy_grad(x, v):
    """Gradient of `energy` (selection.py:8) with respect to `x`, `v`.

    Taken for granted: x.ndim == 1; v.ndim == 2.
    """
    length = np.sqrt(np.sum(v * v, axis=-1, keepdims=True))
    test_2 = length > 0
    v_over_length = v / length
    unit = np.where(test_2, v_over_length, 0)

    # backward
    # L12: return np.sum(root) + np.sum(unit * v[::-1])
    grad_v = zeros_like(v)
    grad_v[::-1] = unit
    # L11: unit = np.where(length > 0, v / length, 0)
    grad_numerator = v[::-1] / length
    grad_v += kept_if(grad_numerator, test_2)
    grad_length = kept_if(-grad_numerator * v_over_length, test_2).sum(axis=1, keepdims=True)
    # L10: length = np.sqrt(np.sum(v * v, axis=-1, keepdims=True))
    grad_v += 2 * kept_if(0.5 * grad_length / length, test_2) * v
    # L9: root = np.where(x > 0, np.sqrt(x), 0)
    return kept_if(0.5 / np.sqrt(x), x > 0), grad_v
