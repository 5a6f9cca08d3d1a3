"""The gradient of `reductions` as one would write it by hand."""

import numpy as np


def gradient(x):
    centered = x - x.mean(axis=0)
    deviation = np.sqrt(np.mean(centered**2, axis=0))
    z = centered / deviation
    total = z.sum(axis=1, keepdims=True)

    grad_z = (np.sum(z**3, axis=1, keepdims=True) + 3 * total * z**2) / x.size
    grad_deviation = -np.sum(grad_z * z, axis=0) / deviation
    grad_centered = grad_z / deviation + grad_deviation * z / len(x)
    return grad_centered - grad_centered.mean(axis=0)
