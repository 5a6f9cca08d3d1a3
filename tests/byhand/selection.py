"""The gradient of `selection` as one would write it by hand."""

import numpy as np


def gradient(x, v):
    length = np.sqrt(np.sum(v * v, axis=-1, keepdims=True))
    chosen = length > 0
    unit = np.where(chosen, v / length, 0)

    grad_x = np.where(x > 0, 0.5 / np.sqrt(x), 0)
    grad_unit = v[::-1]
    along = np.sum(grad_unit * unit, axis=-1, keepdims=True)
    grad_v = np.where(chosen, (grad_unit - along * unit) / length, 0)
    grad_v[::-1] += unit
    return grad_x, grad_v
