"""The gradient of `dispatch` as one would write it by hand."""

import numpy as np


def gradient(x, kinds):
    layers = []
    for kind in kinds:
        if kind == 0:
            break
        if kind == 1:
            x = np.tanh(x)
        else:
            x = kind * x
        layers.append((kind, x))

    grad_x = 2 * x
    for kind, y in reversed(layers):
        if kind == 1:
            grad_x = grad_x * (1 - y**2)
        else:
            grad_x = kind * grad_x
    return grad_x
