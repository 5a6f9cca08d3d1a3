"""Variables that loops bind on the way, and that are read after them."""

from __future__ import annotations

import numpy as np

from tests.programs.corpus import program


@program("v")
def best_of_the_numbers_in_a_display(x):
    current = np.inf
    for weight in (0.01, 0.1, 1.0):
        total = np.sum(x**2 * weight) + weight
        cost = max(total, 1.0 / total)
        if cost < current:
            best = weight
            current = cost
    if current == np.inf:
        raise ValueError("there is none")
    chosen = best
    return np.sum(x**2) * chosen + current


@program("v")
def best_of_numbers_and_values_in_pairs(x):
    current = np.inf
    for (i, weight), value in zip(enumerate((0.01, 0.1, 1.0)), x**2, strict=False):
        total = np.sum(x**2 * weight) + value
        if total < current:
            best = weight * i
            other = value
            current = total
    return np.sum(x**2) * best + current * other


@program("v")
def root_that_the_error_names(x):
    low, high = None, None
    p0 = 1.5 + x[0] ** 2
    for _ in range(40):
        value, slope = p0**3 - x[1] ** 2 - 1.0, 3.0 * p0**2
        p = p0 - value / slope
        if low is not None and p < low:
            p = low
        if high is not None and p > high:
            p = high
        if abs(p - p0) < abs(1e-12 * p):
            return p
        p0 = p
    raise ValueError(f"point={p:g}, error={value:g}")


@program("v")
def last_name_of_a_display(x):
    parts = {"a": x[0] * 2.0, "b": x[1] * x[2]}
    total = 0.0
    for key in ["a", "b"]:
        total = total * x[3] + parts[key]
    return total * parts[key]
