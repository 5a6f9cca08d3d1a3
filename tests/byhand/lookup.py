"""The gradient of `lookup` as one would write it by hand."""

import numpy as np


def gradient(table, points):
    index = np.floor(points).astype(int)
    weight = points - index
    low, high = table[index], table[index + 1]
    values = (1 - weight) * low + weight * high

    grad_values = 2 * values
    grad_table = np.zeros_like(table)
    np.add.at(grad_table, index, grad_values * (1 - weight))
    np.add.at(grad_table, index + 1, grad_values * weight)
    return grad_table, grad_values * (high - low)
