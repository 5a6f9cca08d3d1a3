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

from srcgrad.runtime import add_at, unbroadcast, zeros_like


def total_grad(table, points):
    """Gradient of `total` (lookup.py:8) with respect to `table`, `points`."""
    index = np.floor(points).astype(int)
    weight = points - index
    difference = 1 - weight
    table_index = table[index]
    product = difference * table_index
    table_part = table[index + 1]
    weight_times_table = weight * table_part
    values = product + weight_times_table

    # backward
    # L12: return np.sum(values**2)
    grad_values = 2 * values
    # L11: values = (1 - weight) * table[index] + weight * table[index + 1]
    grad_product = unbroadcast(grad_values, product)
    grad_weight_times_table = unbroadcast(grad_values, weight_times_table)
    grad_weight = unbroadcast(grad_weight_times_table * table_part, weight)
    grad_table_part = unbroadcast(grad_weight_times_table * weight, table_part)
    grad_table = zeros_like(table)
    add_at(grad_table, index + 1, grad_table_part)
    grad_difference = unbroadcast(grad_product * table_index, weight)
    add_at(grad_table, index, unbroadcast(grad_product * difference, table_index))
    grad_weight -= grad_difference
    # L10: weight = points - index
    grad_points = unbroadcast(grad_weight, points)
    return grad_table, grad_points
