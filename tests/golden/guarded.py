"""A sum of roots that falls back on a line where `math` refuses."""

import math

import numpy as np

import srcgrad as sg


def score(weights, counts):
    total = 0.0
    for weight, count in zip(weights, counts):
        try:
            term = count * math.sqrt(weight)
        except ValueError:
            term = -10.0 + weight
        total = total + term
    return total


gradient = sg.grad(score)


def example(rng):
    return [0.5, -0.1, rng.uniform(0.5, 1.0)], [1.0, 2.0, 3.0]


# ---------------------------------------- the derivative ----------------------------------------

import math

from srcgrad.runtime import zeros_like


def score_grad(weights, counts):
    """Gradient of `score` (guarded.py:10) with respect to `weights`.

    Taken for granted: weights[i] is a number for all i; counts[i] is a number for all i.
    """

    # backward
    # L12: for weight, count in zip(weights, counts):
    grad_weights = zeros_like(weights)
    for i in reversed(range(min(len(weights), len(counts)))):
        weight = weights[i]
        count = counts[i]
        try:
            sqrt_weight = math.sqrt(weight)
        except ValueError:
            grad_weight = 1.0
        else:
            # L14: term = count * math.sqrt(weight)
            grad_weight = 0.5 * count / sqrt_weight
        # L12: for weight, count in zip(weights, counts):
        grad_weights[i] += grad_weight
    return grad_weights
