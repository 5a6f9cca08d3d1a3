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
