"""Derivatives of elementwise functions that need a choice at some points."""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def power_slope(x: Any, y: Any) -> Any:
    """Return the derivative of ``x ** y`` in `x`, which is 0 wherever `y` is 0."""
    if type(x) is float and type(y) in (float, int):
        return _scalar_power_slope(x, y)
    if type(y) in (float, int):
        return 0 * x if y == 0 else y * np.power(x, y - 1)
    return y * np.power(x, np.where(y == 0, 1, y - 1))


def _scalar_power_slope(x: float, y: float) -> float:
    """Return `power_slope` of two Python numbers, infinite where Python would raise."""
    if y == 0:
        return 0.0
    if x == 0 and y < 1:
        return math.inf
    return float(y * x ** (y - 1))


def power_log_slope(x: Any, y: Any, z: Any) -> Any:
    """Return the derivative of ``z = x ** y`` in `y`, which is 0 where `x` is 0 and `y` is not negative."""
    if type(x) is float and type(z) is float:
        return 0.0 if x == 0 else z * math.log(x) if x > 0 else math.nan
    flat = np.logical_and(x == 0, np.real(y) >= 0)
    return np.where(flat, 0 * z, z * np.log(np.where(flat, 1 + 0 * x, x)))


def greater_part(grad: Any, x: Any, y: Any) -> Any:
    """Return `grad` where `x` is the greater of the two, half of it where they are equal, else 0."""
    if type(x) is float and type(y) is float:
        return 0.0 * grad if x < y else 0.5 * grad if x == y else grad
    return np.where(x < y, 0 * grad, np.where(x == y, 0.5 * grad, grad))
