"""A natural cubic spline through given heights: its bends by a banded system, then its values."""

import numpy as np

import srcgrad as sg


def misfit(heights, points, values):
    n = len(heights)
    system = 4 * np.eye(n - 2) + np.eye(n - 2, k=1) + np.eye(n - 2, k=-1)
    second = 6 * (heights[2:] - 2 * heights[1:-1] + heights[:-2])
    bends = np.zeros(n)
    bends[1:-1] = np.linalg.solve(system, second)
    i = np.floor(points).astype(int)
    t = points - i
    s = 1 - t
    line = s * heights[i] + t * heights[i + 1]
    curve = line + ((s**3 - s) * bends[i] + (t**3 - t) * bends[i + 1]) / 6
    return np.sum((curve - values) ** 2)


gradient = sg.grad(misfit)


def example(rng):
    return rng.normal(size=6), np.array([0.3, 1.8, 2.2, 2.7, 4.4]), rng.normal(size=5)


# ---------------------------------------- the derivative ----------------------------------------

import numpy as np

from srcgrad.runtime import add_at, copied, solve_back, zeros_like


def misfit_grad(heights, points, values):
    """Gradient of `misfit` (spline.py:8) with respect to `heights`.

    Taken for granted: heights.ndim == 1; points.ndim == 1; values.ndim == 1;
    values.shape == points.shape.
    """
    n = len(heights)
    system = 4 * np.eye(n - 2) + np.eye(n - 2, k=1) + np.eye(n - 2, k=-1)
    second = 6 * (heights[2:] - 2 * heights[1:-1] + heights[:-2])
    bends = np.zeros(n)
    solve_system = np.linalg.solve(system, second)
    bends[1:-1] = solve_system
    i = np.floor(points).astype(int)
    t = points - i
    s = 1 - t
    line = s * heights[i] + t * heights[i + 1]
    difference_2 = s**3 - s
    difference_3 = t**3 - t
    curve = line + (difference_2 * bends[i] + difference_3 * bends[i + 1]) / 6

    # backward
    # L19: return np.sum((curve - values) ** 2)
    grad_curve_minus_values = 2.0 * (curve - values)
    # L18: curve = line + ((s**3 - s) * bends[i] + (t**3 - t) * bends[i + 1]) / 6
    grad_total_2 = grad_curve_minus_values / 6.0
    grad_bends = zeros_like(bends)
    add_at(grad_bends, i + 1, grad_total_2 * difference_3)
    add_at(grad_bends, i, grad_total_2 * difference_2)
    # L17: line = s * heights[i] + t * heights[i + 1]
    grad_heights = zeros_like(heights)
    add_at(grad_heights, i + 1, grad_curve_minus_values * t)
    add_at(grad_heights, i, grad_curve_minus_values * s)
    # L13: bends[1:-1] = np.linalg.solve(system, second)
    _, grad_b = solve_back(copied(grad_bends[1:-1]), system, second, solve_system)
    # L11: second = 6 * (heights[2:] - 2 * heights[1:-1] + heights[:-2])
    grad_total = grad_b * 6.0
    grad_heights[:-2] += grad_total
    grad_heights[1:-1] -= grad_total * 2.0
    grad_heights[2:] += grad_total
    return grad_heights
