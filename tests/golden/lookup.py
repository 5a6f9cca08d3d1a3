"""Linear interpolation in a table, by index."""

import numpy as np

import srcgrad as sg


def total(table, points):
    index = np.floor(points).astype(int)
    weight = points - index
    values = (1 - weight) * table[index] + weight * table[index + 1]
    return np.sum(values**2)


gradient = sg.grad(total, argnums=(0, 1))


def example(rng):
    return rng.normal(size=6), np.array([0.3, 2.7, 2.2, 4.4])


# ---------------------------------------- the derivative ----------------------------------------

import numpy as np

from srcgrad.runtime import add_at, zeros_like


def total_grad(table, points):
    """Gradient of `total` (lookup.py:8) with respect to `table`, `points`.

    Taken for granted: table.ndim == 1; points.ndim == 1.
    """
    index = np.floor(points).astype(int)
    weight = points - index
    difference = 1 - weight
    table_index = table[index]
    table_part = table[index + 1]
    values = difference * table_index + weight * table_part

    # backward
    # L12: return np.sum(values**2)
    grad_values = 2.0 * values
    # L11: values = (1 - weight) * table[index] + weight * table[index + 1]
    grad_table = zeros_like(table)
    add_at(grad_table, index + 1, grad_values * weight)
    add_at(grad_table, index, grad_values * difference)
    return grad_table, grad_values * (table_part - table_index)
