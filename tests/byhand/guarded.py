"""The gradient of `guarded` as one would write it by hand."""

import math


def gradient(weights, counts):
    grad_weights = []
    for weight, count in zip(weights, counts):
        try:
            grad_weight = 0.5 * count / math.sqrt(weight)
        except ValueError:
            grad_weight = 1.0
        grad_weights.append(grad_weight)
    return grad_weights
