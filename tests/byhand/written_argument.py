"""The gradient of `written_argument` as one would write it by hand."""

import numpy as np


def gradient(u, weight):
    slopes = []
    for _ in range(3):
        slope = u[2:] - u[:-2]
        slopes.append(slope)
        u[1:-1] += weight * slope
        u[0] = u[-1]

    grad_u = 2 * u
    grad_weight = 0.0
    for slope in reversed(slopes):
        grad_u[-1] += grad_u[0]
        grad_u[0] = 0.0
        grad_weight += np.sum(grad_u[1:-1] * slope)
        grad_slope = weight * grad_u[1:-1]
        grad_u[2:] += grad_slope
        grad_u[:-2] -= grad_slope
    return grad_u, grad_weight
